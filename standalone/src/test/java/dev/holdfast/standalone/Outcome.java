package dev.holdfast.standalone;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;

/** What a command line comes to. */
record Outcome(int status, String out, String err) {

  static Outcome of(Map<String, String> env, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status = Main.run(args, env, new PrintWriter(out), new PrintWriter(err));
    return new Outcome(status, out.toString(), err.toString());
  }
}
