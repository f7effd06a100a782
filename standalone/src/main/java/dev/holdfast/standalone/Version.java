package dev.holdfast.standalone;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote into the jar. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() throws IOException {
    Properties p = new Properties();
    try (InputStream in = Version.class.getResourceAsStream("/holdfast-version.properties")) {
      if (in != null) {
        p.load(in);
      }
    }
    return new String[] {"holdfast " + p.getProperty("version", "unknown")};
  }
}
