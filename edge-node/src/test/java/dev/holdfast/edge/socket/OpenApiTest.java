package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.holdfast.Limits;
import dev.holdfast.edge.FakeChannels;
import dev.holdfast.edge.TestLimits;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.edge.auth.AuthConfig;
import dev.holdfast.edge.auth.AuthConfig.KeyPlace;
import dev.holdfast.edge.auth.Jwts;
import dev.holdfast.edge.auth.Origins;
import dev.holdfast.frame.ErrorCode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** The document says what the running server does, and the server does nothing else. */
@Timeout(30)
class OpenApiTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NO_CHANNEL = "{\"channel\":\"no:x\",\"payload\":1}";
  private static final String GOOD = "{\"to\":{\"user\":\"bob\"},\"payload\":1}";
  // Over HTTP/2 the client would ask for an upgrade of its own; see also edge-node/pom.xml.
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static TestServer server;
  private static JsonNode document;

  /** How one documented answer is provoked. */
  private record Case(String method, String path, int status, Exchange exchange) {
    String name() {
      return method + ' ' + path + ' ' + status;
    }
  }

  private interface Exchange {
    HttpResponse<String> run() throws Exception;
  }

  @BeforeAll
  static void start() throws Exception {
    server = new TestServer(Limits.DEFAULT);
    server.presence.change("bob", true, 1_795_998_649_948L);
    document = JSON.readTree(send("GET", "/openapi.json", null).body());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (String path : List.of("/healthz", "/readyz", "/metrics", "/openapi.json")) {
      cases.add(new Case("get", path, 200, () -> send("GET", path, null)));
      cases.add(new Case("get", path, 405, () -> send("POST", path, "{}")));
    }
    cases.add(new Case("get", "/readyz", 503, OpenApiTest::notReady));
    String messages = "/v1/messages";
    cases.add(new Case("post", messages, 202, () -> send("POST", messages, GOOD)));
    cases.add(new Case("post", messages, 400, () -> send("POST", messages, "{\"to\":1}")));
    cases.add(new Case("post", messages, 401, () -> secured("POST", messages, GOOD)));
    cases.add(
        new Case(
            "post",
            messages,
            403,
            () -> secured("POST", messages, GOOD, "Authorization", mayNotPublish())));
    cases.add(new Case("post", messages, 405, () -> send("PUT", messages, GOOD)));
    cases.add(new Case("post", messages, 413, () -> send("POST", messages, "x".repeat(2_000_000))));
    cases.add(
        new Case(
            "post",
            messages,
            415,
            () -> send("POST", messages, GOOD, "Content-Type", "text/plain")));
    cases.add(new Case("post", messages, 503, () -> full("POST", messages, GOOD)));
    cases.add(new Case("post", messages, 404, () -> send("POST", messages, NO_CHANNEL)));
    history(cases);
    channelHistory(cases);
    cases.addAll(presence());
    String ws = Measured.SOCKET;
    cases.add(
        new Case(
            "get", ws, 401, () -> secured("GET", ws, null, asking("Authorization", "Bearer x"))));
    cases.add(
        new Case(
            "get", ws, 403, () -> secured("GET", ws, null, asking("Origin", "http://elsewhere"))));
    cases.add(new Case("get", ws, 405, () -> send("POST", ws, "")));
    cases.add(new Case("get", ws, 426, () -> send("GET", ws, null)));
    cases.add(
        new Case(
            "get",
            ws,
            400,
            () -> send("GET", ws, null, asking("Sec-WebSocket-Protocol", "holdfast.v9"))));
    cases.add(new Case("get", ws, 429, OpenApiTest::tooMany));
    cases.add(new Case("get", ws, 503, OpenApiTest::draining));
    return cases;
  }

  private static void history(List<Case> cases) {
    String path = "/v1/history";
    String ann = path + "?user=ann";
    cases.add(new Case("get", path, 200, () -> HistoryAnswers.page(server, ann)));
    cases.add(new Case("get", path, 400, () -> send("GET", path, null)));
    cases.add(new Case("get", path, 401, () -> secured("GET", path, null)));
    cases.add(
        new Case(
            "get",
            path,
            403,
            () -> secured("GET", path + "?user=bob", null, "Authorization", mayNotPublish())));
    cases.add(new Case("get", path, 405, () -> send("POST", path, "{}")));
    cases.add(new Case("get", path, 409, () -> HistoryAnswers.page(server, ann + "&epoch=old")));
    cases.add(new Case("get", path, 429, () -> HistoryAnswers.tooFast(ann)));
    cases.add(new Case("get", path, 503, () -> full("GET", ann, null)));
  }

  private static void channelHistory(List<Case> cases) {
    String path = "/v1/channels/{channel}/history";
    String room = "/v1/channels/rooms:a%20b/history";
    cases.add(new Case("get", path, 200, () -> send("GET", room + "?limit=7", null)));
    String from = "?after=" + FakeChannels.POSITION;
    cases.add(new Case("get", path, 200, () -> send("GET", room + from, null)));
    cases.add(new Case("get", path, 400, () -> send("GET", room + "?after=x", null)));
    cases.add(new Case("get", path, 400, () -> send("GET", room + "?limit=1001", null)));
    cases.add(new Case("get", path, 401, () -> secured("GET", room, null)));
    cases.add(
        new Case(
            "get",
            path,
            403,
            () ->
                secured(
                    "GET", "/v1/channels/vip:x/history", null, "Authorization", mayNotPublish())));
    cases.add(new Case("get", path, 404, () -> send("GET", "/v1/channels/no:x/history", null)));
    cases.add(new Case("get", path, 405, () -> send("POST", room, "{}")));
    cases.add(new Case("get", path, 429, () -> HistoryAnswers.tooFast(room)));
    cases.add(new Case("get", path, 503, () -> busy(ErrorCode.OVERLOADED, room)));
    cases.add(new Case("get", path, 503, () -> busy(ErrorCode.UNAVAILABLE, room)));
  }

  private static HttpResponse<String> busy(ErrorCode code, String path) throws Exception {
    server.channels.refusal = code;
    try {
      return send("GET", path, null);
    } finally {
      server.channels.refusal = null;
    }
  }

  private static List<Case> presence() {
    String path = "/v1/presence/{user}";
    String bob = "/v1/presence/bob";
    String claim = ",'holdfast':{'watch':['ann']}";
    return List.of(
        new Case("get", path, 200, () -> send("GET", bob, null)),
        new Case("get", path, 400, () -> send("GET", "/v1/presence/b%20b", null)),
        new Case("get", path, 401, () -> secured("GET", bob, null)),
        new Case("get", path, 403, () -> secured("GET", bob, null, "Authorization", token(claim))),
        new Case("get", path, 404, () -> send("GET", bob + "/clients", null)),
        new Case("get", path, 405, () -> send("POST", bob, "{}")),
        new Case("get", path, 503, OpenApiTest::presenceUnknown));
  }

  @TestFactory
  @DisplayName("every documented answer is given, and fits its schema")
  List<DynamicTest> answers() {
    return cases().stream().map(c -> DynamicTest.dynamicTest(c.name(), () -> check(c))).toList();
  }

  private static void check(Case c) throws Exception {
    HttpResponse<String> answer = c.exchange().run();
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(c.status());
    JsonNode promised = promised(c);
    for (String header : names(promised.path("headers"))) {
      assertThat(answer.headers().firstValue(header)).as(header).isPresent();
    }
    String type = answer.headers().firstValue("Content-Type").orElse("").replaceFirst(";.*", "");
    assertThat(names(promised.path("content"))).containsExactly(type);
    JsonNode schema = promised.path("content").path(type).path("schema");
    if (!type.equals("text/plain")) {
      conforms(schema, JSON.readTree(answer.body()));
    }
  }

  @Test
  @DisplayName("nothing is documented that no case provokes, nor the other way round")
  void complete() throws Exception {
    TreeSet<String> documented = new TreeSet<>();
    for (String path : names(document.path("paths"))) {
      for (String method : names(document.path("paths").path(path))) {
        JsonNode answers = document.path("paths").path(path).path(method).path("responses");
        for (String status : names(answers)) {
          documented.add(method + ' ' + path + ' ' + status);
        }
      }
    }
    TreeSet<String> provoked = new TreeSet<>();
    cases().forEach(c -> provoked.add(c.name()));
    provoked.add("get " + Measured.SOCKET + " 101"); // see takesAWebSocket
    assertThat(provoked).isEqualTo(documented);
  }

  @Test
  void takesAWebSocket() throws Exception {
    try (RawClient client = RawClient.open(server.port())) {
      assertThat(client.status()).isEqualTo(101);
    }
  }

  @Test
  @DisplayName("the server's routes are the document's paths")
  void routes() {
    Routes routes =
        new Routes(
            new Upgrade(server.context, () -> false, server.admission),
            new HttpApi(server.context, () -> true),
            new HistoryApi(server.context, server.queries, server.admission),
            new ChannelHistoryApi(server.context, server.admission),
            Origins.SAME_HOST,
            () -> new byte[0]);
    assertThat(names(document.path("paths"))).containsExactlyInAnyOrderElementsOf(routes.paths());
  }

  @Test
  @DisplayName("the document's examples fit its schemas and are accepted")
  void examples() throws Exception {
    JsonNode body = document.at("/paths/~1v1~1messages/post/requestBody/content/application~1json");
    List<String> names = names(body.path("examples"));
    assertThat(names).hasSizeGreaterThan(2);
    for (String name : names) {
      JsonNode example = body.path("examples").path(name).path("value");
      conforms(body.path("schema"), example);
      HttpResponse<String> answer = send("POST", "/v1/messages", example.toString());
      assertThat(answer.statusCode()).as(name + answer.body()).isEqualTo(202);
      conforms(
          document.at("/paths/~1v1~1messages/post/responses/202/content/application~1json/schema"),
          JSON.readTree(answer.body()));
    }
  }

  @Test
  @DisplayName("the schemas refuse what the server refuses")
  void schemasAreNotEmpty() {
    JsonNode schema =
        document.at("/paths/~1v1~1messages/post/requestBody/content/application~1json/schema");
    for (String wrong :
        List.of(
            "{}",
            "{\"to\":{\"user\":\"b b\"},\"payload\":1}",
            "{\"to\":{\"user\":\"bob\"}}",
            "{\"to\":{\"user\":\"bob\",\"users\":[\"ann\"]},\"payload\":1}",
            "{\"to\":{\"user\":\"bob\"},\"channel\":\"n:ews\",\"payload\":1}",
            "{\"channel\":\"news\",\"payload\":1}",
            "{\"messages\":[]}",
            "{\"messages\":[{\"to\":{\"user\":\"bob\"},\"payload\":1,\"idempotencyKey\":\"\"}]}")) {
      assertThat(errors(schema, wrong)).as(wrong).isNotEmpty();
    }
  }

  @Test
  @DisplayName("docs/openapi.json is what is served")
  void isInDocs() throws Exception {
    Path docs = Path.of("..", "docs", "openapi.json");
    Path page = Files.exists(docs) ? docs : Path.of("docs", "openapi.json");
    assertThat(JSON.readTree(Files.readString(page))).isEqualTo(document);
  }

  private static HttpResponse<String> notReady() throws Exception {
    server.ready = false;
    try {
      return send("GET", "/readyz", null);
    } finally {
      server.ready = true;
    }
  }

  private static HttpResponse<String> full(String method, String path, @Nullable String body)
      throws Exception {
    server.log.full = true;
    try {
      return send(method, path, body);
    } finally {
      server.log.full = false;
    }
  }

  private static HttpResponse<String> draining() throws Exception {
    try (TestServer other = new TestServer(TestLimits.http(1, 1_000))) {
      other.draining = true;
      return HTTP.send(
          request(other.port(), "GET", Measured.SOCKET, null, asking()), BodyHandlers.ofString());
    }
  }

  /** The answer to an address that has used up its handshakes. */
  private static HttpResponse<String> tooMany() throws Exception {
    try (TestServer other = new TestServer(Limits.DEFAULT, AdmissionConfig.DEFAULT, null)) {
      int status = 101;
      for (int i = 0; i < 200 && status == 101; i++) {
        try (RawClient client = RawClient.ask(other.port())) {
          status = client.status();
        }
      }
      return HTTP.send(
          request(other.port(), "GET", Measured.SOCKET, null, asking()), BodyHandlers.ofString());
    }
  }

  /** These headers, and those that ask for a WebSocket. */
  private static String[] asking(String... headers) {
    List<String> all = new ArrayList<>(List.of("Connection", "Upgrade", "Upgrade", "websocket"));
    all.addAll(List.of("Sec-WebSocket-Version", "13"));
    all.addAll(List.of("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="));
    all.addAll(List.of(headers));
    return all.toArray(String[]::new);
  }

  /** The answer of a server that wants tokens. */
  private static HttpResponse<String> secured(
      String method, String path, @Nullable String body, String... headers) throws Exception {
    AuthConfig.Jwt jwt =
        new AuthConfig.Jwt(new KeyPlace.Secrets(List.of(Jwts.SECRET)), null, null, 0);
    AuthConfig auth = new AuthConfig(jwt, List.of(), Origins.SAME_HOST);
    try (TestServer other = new TestServer(Limits.DEFAULT, auth)) {
      return HTTP.send(request(other.port(), method, path, body, headers), BodyHandlers.ofString());
    }
  }

  private static HttpResponse<String> presenceUnknown() throws Exception {
    server.presence.unknown = true;
    try {
      return send("GET", "/v1/presence/bob", null);
    } finally {
      server.presence.unknown = false;
    }
  }

  private static String mayNotPublish() {
    return token("");
  }

  private static String token(String more) {
    long exp = System.currentTimeMillis() / 1_000 + 60;
    return "Bearer " + Jwts.hs256(Jwts.SECRET, Jwts.claims("ann", exp, more));
  }

  private static JsonNode promised(Case c) {
    JsonNode answer =
        document
            .path("paths")
            .path(c.path())
            .path(c.method())
            .path("responses")
            .path(Integer.toString(c.status()));
    return answer.has("$ref") ? document.at(answer.path("$ref").asText().substring(1)) : answer;
  }

  private static void conforms(JsonNode schema, JsonNode value) {
    assertThat(errors(schema, value.toString())).as(value.toString()).isEmpty();
  }

  private static List<String> errors(JsonNode schema, String value) {
    ObjectNode whole = schema.deepCopy();
    whole.set("components", document.path("components"));
    try {
      return JsonSchemaFactory.getInstance(VersionFlag.V202012)
          .getSchema(whole)
          .validate(JSON.readTree(value))
          .stream()
          .map(Object::toString)
          .toList();
    } catch (IOException e) {
      throw new AssertionError(value, e);
    }
  }

  private static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static HttpResponse<String> send(
      String method, String path, @Nullable String body, String... headers) throws Exception {
    return HTTP.send(request(server.port(), method, path, body, headers), BodyHandlers.ofString());
  }

  private static HttpRequest request(
      int port, String method, String path, @Nullable String body, String... headers) {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .method(
                method,
                body == null
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofByteArray(body.getBytes(StandardCharsets.UTF_8)));
    if (headers.length > 0) {
      builder.headers(headers);
    }
    return builder.build();
  }
}
