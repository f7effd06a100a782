package dev.holdfast.testkit.it;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Issues tokens as an application would, and remembers them. */
final class Tokens {
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  private final String secret;
  private final List<String> issued = new ArrayList<>();

  Tokens(String secret) {
    this.secret = secret;
  }

  /**
   * @param more further claims, like {@code ,"holdfast":{"publish":true}}
   */
  String issue(String user, long seconds, String more) {
    long exp = System.currentTimeMillis() / 1_000 + seconds;
    String body =
        base64("{\"alg\":\"HS256\",\"typ\":\"JWT\"}")
            + "."
            + base64("{\"sub\":\"" + user + "\",\"exp\":" + exp + more + "}");
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      String token = body + "." + BASE64.encodeToString(mac.doFinal(utf8(body)));
      issued.add(token);
      return token;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The parts of all tokens that nobody else may see. */
  List<String> secrets() {
    List<String> parts = new ArrayList<>(List.of(secret));
    for (String token : issued) {
      String[] three = token.split("\\.", -1);
      parts.add(three[1]);
      parts.add(three[2]);
    }
    return parts;
  }

  private static String base64(String text) {
    return BASE64.encodeToString(utf8(text));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
