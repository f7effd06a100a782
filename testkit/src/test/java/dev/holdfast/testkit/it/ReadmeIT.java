package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.testkit.process.TestPorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plays the README's two minutes as they stand there: what is typed is sent, what is shown must
 * come. {@code …} stands for anything, and epochs and times differ from run to run.
 */
class ReadmeIT {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Pattern CONNECT = Pattern.compile("\\$ npx wscat -c (ws://\\S+)");
  private static final Pattern HEADER = Pattern.compile("-H '([^:]+): ([^']+)'");
  private static final Pattern BODY = Pattern.compile("-d '([^']+)'");
  private static final Pattern TYPE = Pattern.compile("\"type\":\"([a-z]+)\"");
  private static final Pattern URL = Pattern.compile("http://\\S+");

  private final List<EdgeClient> connections = new ArrayList<>();
  private int frames;
  private int port;

  @Test
  void whatTheReadmeShowsIsWhatComes(@TempDir Path data) throws Exception {
    port = TestPorts.two();
    try (HoldfastProcess dev =
        HoldfastProcess.start(
                "readme-dev",
                List.of("-Xmx512m"),
                List.of(
                    "dev",
                    "--port",
                    Integer.toString(port),
                    "--broker-port",
                    "0",
                    "--data",
                    data.toString()))
            .awaitReady(Duration.ofSeconds(90))) {
      List<String> page = Files.readAllLines(readme());
      assertThat(printed(page)).allSatisfy(what -> assertThat(dev.said(what)).isPresent());
      play(page.subList(page.indexOf("## Two minutes with wscat"), page.size()));
      assertThat(dev.terminate(Duration.ofSeconds(60))).isZero();
    }
    assertThat(connections).hasSize(3);
    assertThat(frames).isEqualTo(12);
  }

  private static Path readme() {
    Path here = Path.of("README.md");
    return Files.exists(here) ? here : Path.of("..", "README.md");
  }

  /** What each line of dev's output begins with, as the README shows it. */
  private static List<String> printed(List<String> page) {
    int from = page.indexOf("ready");
    int first = page.subList(0, from).lastIndexOf("```") + 1;
    List<String> words =
        page.subList(first, from).stream().map(line -> line.split(" ", 2)[0] + " ").toList();
    assertThat(words).contains("edge-2 ", "pages ");
    return words;
  }

  private void play(List<String> lines) throws Exception {
    List<String> block = new ArrayList<>();
    boolean inside = false;
    for (String line : lines) {
      if (line.startsWith("## ") && frames > 0) {
        return;
      }
      if (line.startsWith("```")) {
        if (inside) {
          play(block.get(0), block);
        }
        inside = !inside;
        block.clear();
      } else if (inside) {
        block.add(line);
      } else if (line.startsWith("Stop Bob with Ctrl-C.")) {
        connections.get(0).abort();
      }
    }
  }

  private void play(String first, List<String> block) throws Exception {
    Matcher connect = CONNECT.matcher(first);
    if (connect.matches()) {
      connections.add(EdgeClient.connect(here(connect.group(1))));
      talk(connections.get(connections.size() - 1), block.subList(1, block.size()));
    } else if (first.startsWith("$ curl ")) {
      String shown = block.get(block.size() - 1);
      assertThat(curl(String.join(" ", block.subList(0, block.size() - 1)))).matches(like(shown));
    } else if (first.startsWith("<") || first.startsWith(">")) {
      // "Bob sees": the first terminal goes on, or the one in which he came back.
      boolean back = connections.get(0).closed().isDone();
      talk(connections.get(back ? connections.size() - 1 : 0), block);
    }
  }

  private void talk(EdgeClient with, List<String> lines) throws InterruptedException {
    for (String line : lines) {
      if (line.startsWith("> ")) {
        with.sendText(line.substring(2));
      } else {
        assertThat(line).startsWith("< ");
        // What answers a frame and what it causes come in either order.
        String type = only(TYPE, line, 1);
        String came = with.await(type, PATIENCE).toString();
        assertThat(came).matches(like(line.substring(2)));
        frames++;
      }
    }
  }

  private String curl(String command) throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(here(only(URL, command, 0)));
    HEADER.matcher(command).results().forEach(h -> request.header(h.group(1), h.group(2)));
    request.POST(HttpRequest.BodyPublishers.ofString(only(BODY, command, 1)));
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString()).body();
  }

  private static String only(Pattern what, String in, int group) {
    Matcher matcher = what.matcher(in);
    assertThat(matcher.find()).as("%s in %s", what, in).isTrue();
    return matcher.group(group);
  }

  /** The README's ports are the defaults; the test's are free ones. */
  private URI here(String url) {
    return URI.create(url.replace(":8080", ":" + port).replace(":8081", ":" + (port + 1)));
  }

  private static Pattern like(String shown) {
    String regex =
        Pattern.quote(shown)
            .replace("…", "\\E.*\\Q")
            .replaceAll("\"ts\":\\d+", "\"ts\":\\\\E\\\\d+\\\\Q")
            .replaceAll("\"position\":\"[^\"]*\"", "\"position\":\"\\\\E[^\"]+\\\\Q\"")
            .replaceAll("\"epoch\":\"[^\"]*\"", "\"epoch\":\"\\\\E[^\"]+\\\\Q\"");
    return Pattern.compile(regex);
  }
}
