package dev.holdfast.edge.socket;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/**
 * What one hostile client sends, decided by a seed: noise, a request with faults, or an upgrade and
 * then frames that are mostly well-formed, since noise alone never gets past the first check.
 */
final class FuzzedInput {
  private static final List<String> FRAMES =
      List.of(
          "ping",
          "pong",
          "{\"type\":\"ping\",\"ts\":1}",
          "{\"type\":\"hello\",\"clientId\":\"f\",\"lastSeq\":0}",
          "{\"type\":\"hello\",\"clientId\":\"f\",\"lastSeq\":5,\"epoch\":\"e\",\"attempt\":1}",
          "{\"type\":\"ack\",\"seq\":0}",
          "{\"type\":\"send\",\"clientMsgId\":\"m\",\"to\":{\"user\":\"a\"},\"payload\":{\"a\":[1]}}",
          "{\"type\":\"send\",\"clientMsgId\":\"n\",\"to\":{\"users\":[\"a\",\"b\"]},\"payload\":null}",
          "{\"type\":\"subscribe\",\"channel\":\"n:c\"}",
          "{\"type\":\"auth\",\"token\":\"t\"}",
          "{\"type\":\"\\ud800\"}",
          "[]",
          "{}",
          "");

  private static final List<String> REQUESTS =
      List.of(
          "GET /v1/ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
              + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
              + "Sec-WebSocket-Protocol: holdfast.v1\r\n\r\n",
          "POST /v1/messages HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
              + "Idempotency-Key: k\r\nContent-Length: 33\r\n\r\n"
              + "{\"to\":{\"user\":\"a\"},\"payload\":\"x\"}",
          "POST /v1/messages HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "21\r\n{\"to\":{\"user\":\"a\"},\"payload\":\"x\"}\r\n0\r\n\r\n",
          "GET /readyz HTTP/1.1\r\nHost: h\r\n\r\n",
          "GET /healthz HTTP/1.0\r\n\r\nGET /nothing HTTP/1.1\r\nHost: h\r\n\r\n");

  private final Random random;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private final boolean upgrades;

  /** What {@code random}'s seed decides. */
  FuzzedInput(Random random) {
    this.random = random;
    int kind = random.nextInt(8);
    this.upgrades = kind >= 3;
    if (kind == 0) {
      noise(1 + random.nextInt(2_000));
    } else if (upgrades) {
      out.writeBytes(REQUESTS.get(0).getBytes(StandardCharsets.US_ASCII));
      if (kind == 3) {
        noise(1 + random.nextInt(500));
      } else {
        frames();
      }
    } else {
      requests();
    }
  }

  byte[] bytes() {
    return out.toByteArray();
  }

  /** Whether it begins with a handshake that is accepted. */
  boolean upgrades() {
    return upgrades;
  }

  private void noise(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    out.writeBytes(bytes);
  }

  private void requests() {
    for (int i = random.nextInt(3); i >= 0; i--) {
      out.writeBytes(faulty(one(REQUESTS).getBytes(StandardCharsets.US_ASCII)));
    }
  }

  private void frames() {
    if (random.nextInt(4) > 0) {
      out.writeBytes(RawClient.encode(0x81, true, FRAMES.get(3).getBytes(StandardCharsets.UTF_8)));
    }
    for (int i = random.nextInt(20); i >= 0; i--) {
      frame();
    }
  }

  private void frame() {
    byte[] body =
        random.nextInt(20) == 0
            ? new byte[random.nextInt(120_000)]
            : one(FRAMES).getBytes(StandardCharsets.UTF_8);
    if (random.nextInt(3) == 0) {
      body = faulty(body);
    }
    byte[] frame = RawClient.encode(first(), random.nextInt(30) > 0, body);
    if (random.nextInt(15) == 0) {
      frame[1] = (byte) random.nextInt(256);
    }
    out.writeBytes(frame);
  }

  private int first() {
    int opcode =
        switch (random.nextInt(12)) {
          case 0 -> 0;
          case 1 -> 2;
          case 2 -> 8;
          case 3 -> 9;
          case 4 -> 10;
          case 5 -> random.nextInt(16);
          default -> 1;
        };
    int fin = random.nextInt(5) > 0 ? 0x80 : 0;
    int reserved = random.nextInt(20) == 0 ? random.nextInt(8) << 4 : 0;
    return fin | reserved | opcode;
  }

  /** {@code bytes} with a few of them changed, left out, doubled or drowned in others. */
  private byte[] faulty(byte[] bytes) {
    ByteArrayOutputStream changed = new ByteArrayOutputStream();
    int rarity = 5 + random.nextInt(200);
    for (byte one : bytes) {
      switch (random.nextInt(rarity)) {
        case 0 -> changed.write(random.nextInt(256));
        case 1 -> changed.write(random.nextInt(32));
        case 2 -> {
          changed.write(one);
          changed.write(one);
        }
        case 3 -> {
          if (random.nextInt(10) == 0) {
            changed.writeBytes(
                "A".repeat(random.nextInt(70_000)).getBytes(StandardCharsets.US_ASCII));
          }
        }
        default -> changed.write(one);
      }
    }
    return changed.toByteArray();
  }

  private String one(List<String> of) {
    return of.get(random.nextInt(of.size()));
  }
}
