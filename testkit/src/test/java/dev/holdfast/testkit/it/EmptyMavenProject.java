package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Maven project of one dependency, {@code holdfast-client}, with a local repository of its own.
 * That one has nothing but the client's jar and pom; all else comes from the repository that this
 * build was given, and nothing from a network.
 */
record EmptyMavenProject(Path directory) {
  private static final Path CLIENT = Path.of("..", "client-java", "target");
  private static final String VERSION = "0.1.0-SNAPSHOT";

  private static final String POM =
      """
      <project xmlns="http://maven.apache.org/POM/4.0.0">
        <modelVersion>4.0.0</modelVersion>
        <groupId>org.example</groupId><artifactId>app</artifactId><version>1</version>
        <properties>
          <maven.compiler.release>17</maven.compiler.release>
          <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
        </properties>
        <dependencies>
          <dependency><groupId>dev.holdfast</groupId><artifactId>holdfast-client</artifactId><version>%s</version></dependency>
        </dependencies>
        <build>
          <plugins>
            <plugin><artifactId>maven-resources-plugin</artifactId><version>%s</version></plugin>
            <plugin><artifactId>maven-compiler-plugin</artifactId><version>%s</version></plugin>
            <plugin><artifactId>maven-dependency-plugin</artifactId><version>%s</version></plugin>
          </plugins>
        </build>
      </project>
      """;

  private static final String SETTINGS =
      """
      <settings>
        <localRepository>%s</localRepository>
        <mirrors><mirror><id>build</id><mirrorOf>*</mirrorOf><url>%s</url></mirror></mirrors>
      </settings>
      """;

  /**
   * Writes the project with the source as its only class, and puts the client where it finds it.
   */
  void write(String className, String source) throws IOException, URISyntaxException {
    Path repository = directory.resolve("repository");
    Path client = repository.resolve("dev/holdfast/holdfast-client").resolve(VERSION);
    Files.createDirectories(client);
    String name = "holdfast-client-" + VERSION;
    Files.copy(CLIENT.resolve(name + ".jar"), client.resolve(name + ".jar"));
    Files.copy(CLIENT.resolve("flattened-pom.xml"), client.resolve(name + ".pom"));
    Files.writeString(
        directory.resolve("pom.xml"),
        POM.formatted(
            VERSION,
            plugin("maven-resources-plugin"),
            plugin("maven-compiler-plugin"),
            plugin("maven-dependency-plugin")));
    Files.writeString(directory.resolve("settings.xml"), SETTINGS.formatted(repository, given()));
    Path sources = Files.createDirectories(directory.resolve("src/main/java"));
    Files.writeString(sources.resolve(className + ".java"), source);
  }

  /** Compiles, and writes the class path's other entries to {@code class-path}. */
  static String[] build() {
    return new String[] {
      "mvn",
      "-B",
      "-q",
      "-o",
      "-Daether.offline.protocols=file",
      "-s",
      "settings.xml",
      "compile",
      "dependency:build-classpath",
      "-Dmdep.outputFile=class-path"
    };
  }

  /** The version of the plugin that this build uses: its repository has it. */
  private static String plugin(String name) throws IOException {
    Matcher version =
        Pattern.compile("<artifactId>" + name + "</artifactId>\\s*<version>([^<]+)</version>")
            .matcher(Files.readString(Path.of("..", "pom.xml")));
    assertThat(version.find()).as(name).isTrue();
    return version.group(1);
  }

  /** The local repository of this build: six folders above the one in which a jar of it lies. */
  private static URI given() throws URISyntaxException {
    return ObjectMapper.class
        .getProtectionDomain()
        .getCodeSource()
        .getLocation()
        .toURI()
        .resolve("../../../../../../");
  }
}
