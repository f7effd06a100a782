package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ReadmeTest {
  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern NAME = Pattern.compile("`(\\w+)`");

  private static String readme() throws IOException {
    Path here = Path.of("README.md");
    String text = Files.readString(here);
    assertThat(text).startsWith("# holdfast-client");
    return text;
  }

  @Test
  @DisplayName("the README's start compiles, in five lines")
  void compiles() throws IOException {
    Matcher matcher = JAVA.matcher(readme());
    assertThat(matcher.find()).isTrue();
    String snippet = matcher.group(1);
    assertThat(snippet.lines()).hasSize(5);
    assertThat(errors(snippet)).isEmpty();
    assertThat(errors(snippet.replace("onMessage", "onMassage"))).isNotEmpty();
  }

  private static List<String> errors(String snippet) {
    String source =
        "import dev.holdfast.client.*; import java.util.*; class Start { void start() {\n"
            + snippet
            + "}}";
    JavaFileObject file =
        new SimpleJavaFileObject(URI.create("string:///Start.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> told = new DiagnosticCollector<>();
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> options = List.of("-proc:none", "-d", "target", "-cp", classPath);
    boolean unused =
        compiler.getTask(null, null, told, new ArrayList<>(options), null, List.of(file)).call();
    return told.getDiagnostics().stream()
        .filter(d -> d.getKind() == Diagnostic.Kind.ERROR)
        .map(Object::toString)
        .toList();
  }

  @Test
  @DisplayName("the README's table has every option, and no other")
  void options() throws IOException {
    String table = readme().split("## Options\n", -1)[1].split("\n## ", -1)[0];
    Set<String> named = new TreeSet<>();
    table
        .lines()
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.split("\\|", -1)[1])
        .forEach(cell -> NAME.matcher(cell).results().forEach(r -> named.add(r.group(1))));
    Set<String> methods =
        Arrays.stream(HoldfastClientBuilder.class.getMethods())
            .filter(m -> m.getReturnType() == HoldfastClientBuilder.class)
            .map(Method::getName)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(named).isEqualTo(methods);
  }
}
