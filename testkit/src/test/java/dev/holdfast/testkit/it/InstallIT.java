package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.holdfast.testkit.process.HoldfastProcess;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The clients as others get them: packed, installed into an empty project, and used there. */
@Timeout(240)
class InstallIT {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Pattern SNIPPET = Pattern.compile("(?s)```ts\n(.*?)```");

  private static final String JAVASCRIPT =
      """
      import { HoldfastClient } from '@holdfast/client';
      import { fileStore } from '@holdfast/client/node';
      const { WebSocket } = await import(process.env.WS);
      const make = (user, more) =>
        new HoldfastClient({ url: process.env.HOLDFAST_URL, user, webSocket: WebSocket, ...more });
      const bob = make('install-bob-js', { storage: fileStore('data') });
      const alice = make('install-alice-js');
      const heard = new Promise((resolve) => bob.on('message', resolve));
      bob.connect();
      alice.connect();
      const { msgId } = await alice.send({ user: 'install-bob-js' }, { text: 'hi' });
      const message = await heard;
      await Promise.all([alice.close(), bob.close()]);
      console.log(message.from, message.payload.text, message.msgId === msgId);
      """;

  private static final String JAVA =
      """
      import dev.holdfast.client.HoldfastClient;
      import dev.holdfast.client.Message;
      import dev.holdfast.client.Sent;
      import dev.holdfast.client.To;
      import java.util.Map;
      import java.util.concurrent.CompletableFuture;
      import java.util.concurrent.TimeUnit;

      public class App {
        public static void main(String[] args) throws Exception {
          CompletableFuture<Message> heard = new CompletableFuture<>();
          try (HoldfastClient bob = client(args[0], "install-bob-java");
              HoldfastClient alice = client(args[0], "install-alice-java")) {
            bob.onMessage(heard::complete);
            bob.connect();
            alice.connect();
            Sent sent =
                alice.send(To.user("install-bob-java"), Map.of("text", "hi"))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            Message message = heard.get(60, TimeUnit.SECONDS);
            System.out.println(
                message.from() + " " + message.payload().path("text").asText() + " "
                    + message.msgId().equals(sent.msgId()));
          }
        }

        private static HoldfastClient client(String url, String user) {
          return HoldfastClient.builder().url(url).user(user).build();
        }
      }
      """;

  private static HoldfastProcess dev;

  @BeforeAll
  static void start(@TempDir Path data) throws InterruptedException {
    dev =
        HoldfastProcess.start(
                "install-dev",
                List.of("dev", "--port", "0", "--broker-port", "0", "--data", data.toString()))
            .awaitReady(Duration.ofSeconds(90));
  }

  @AfterAll
  static void stop() throws InterruptedException {
    assertThat(dev.terminate(Duration.ofSeconds(60))).isZero();
  }

  /** A file URL, as {@code import()} takes it. */
  private static String module(String path) {
    return Tool.CLIENT_JS.resolve("node_modules").resolve(path).toUri().toString();
  }

  @Test
  @DisplayName("the npm package, installed without a network, has all it needs and its types")
  void npm(@TempDir Path app) throws Exception {
    assumeFalse(Tool.withoutJavaScript(), "holdfast.js=skip: there is no JavaScript client");
    // What was built is packed as it is: another class may be using dist/, which a build deletes.
    new Tool("npm-pack", Tool.CLIENT_JS, Map.of())
        .run(LIMIT, "npm", "pack", "--ignore-scripts", "--pack-destination", app.toString());
    Path packed;
    try (Stream<Path> files = Files.list(app)) {
      packed = files.filter(file -> file.toString().endsWith(".tgz")).findFirst().orElseThrow();
    }
    Files.writeString(app.resolve("package.json"), "{\"private\": true, \"type\": \"module\"}");
    Map<String, String> environment =
        Map.of("HOLDFAST_URL", dev.said("edge-1 ").orElseThrow(), "WS", module("ws/wrapper.mjs"));
    Tool tool = new Tool("npm-app", app, environment);
    tool.run(LIMIT, "npm", "install", "--offline", "--no-audit", "--no-fund", packed.toString());
    try (Stream<Path> scopes = Files.list(app.resolve("node_modules"))) {
      assertThat(scopes.map(file -> file.getFileName().toString()))
          .as("it brings nothing with it")
          .filteredOn(name -> !name.startsWith("."))
          .containsExactly("@holdfast");
    }
    Path installed = app.resolve("node_modules/@holdfast/client");
    assertThat(installed.resolve("LICENSE")).hasSameTextualContentAs(Path.of("..", "LICENSE"));
    assertThat(installed.resolve("src")).doesNotExist();

    Files.writeString(app.resolve("app.js"), JAVASCRIPT);
    String said = tool.run(LIMIT, "node", "app.js");
    assertThat(said).isEqualToIgnoringNewLines("install-alice-js hi true");

    compiles(tool, installed.resolve("README.md"));
  }

  /** The five lines for browsers, as the README has them, under the strictest compiler. */
  private static void compiles(Tool app, Path readme) throws Exception {
    Matcher snippet = SNIPPET.matcher(Files.readString(readme));
    assertThat(snippet.find()).isTrue();
    assertThat(snippet.group(1)).contains("@holdfast/client").contains("await client.send");
    Path source = app.directory().resolve("app.ts");
    String compiler = Tool.CLIENT_JS.resolve("node_modules/typescript/bin/tsc").toString();
    String[] command = {
      "node",
      compiler,
      "--noEmit",
      "--strict",
      "--exactOptionalPropertyTypes",
      "--target",
      "es2022",
      "--module",
      "nodenext",
      "app.ts"
    };
    Files.writeString(source, snippet.group(1));
    app.run(LIMIT, command);
    Files.writeString(source, snippet.group(1).replace("user: 'bob'", "user: 1"));
    assertThat(app.fails(LIMIT, command)).contains("TS2322");
  }

  @Test
  @DisplayName("the Maven artifact needs no parent, and brings JSON and a logging facade alone")
  void maven(@TempDir Path directory) throws Exception {
    new EmptyMavenProject(directory).write("App", JAVA);
    Tool tool = new Tool("maven-app", directory, Map.of());
    tool.run(LIMIT, EmptyMavenProject.build());
    String classPath = Files.readString(directory.resolve("class-path")).strip();
    List<String> jars =
        Stream.of(classPath.split(File.pathSeparator))
            .map(jar -> Path.of(jar).getFileName().toString().replaceFirst("-[0-9].*", ""))
            .toList();
    assertThat(jars)
        .containsExactlyInAnyOrder(
            "holdfast-client",
            "jackson-databind",
            "jackson-core",
            "jackson-annotations",
            "slf4j-api",
            "jspecify");
    String all = directory.resolve("target/classes") + File.pathSeparator + classPath;
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String url = dev.said("edge-1 ").orElseThrow();
    assertThat(tool.run(LIMIT, java, "-cp", all, "App", url))
        .contains("install-alice-java hi true");
  }
}
