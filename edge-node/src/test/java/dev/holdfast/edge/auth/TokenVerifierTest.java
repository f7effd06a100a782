package dev.holdfast.edge.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.security.KeyPair;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenVerifierTest {
  private static final KeyPair RSA = Jwts.rsa(2048);
  private static final KeyPair EC = Jwts.ec("secp256r1");
  private static final String CLAIMS = Jwts.claims("ann", Jwts.NOW_S + 60, "");

  private static TokenVerifier of(
      @Nullable String issuer, @Nullable String audience, VerifyKey... keys) {
    return new TokenVerifier(
        Keys.fixed(List.of(keys)),
        issuer,
        audience,
        10_000,
        () -> Instant.ofEpochSecond(Jwts.NOW_S));
  }

  private static final TokenVerifier SECRET = of(null, null, VerifyKey.secret(Jwts.SECRET));
  private static final TokenVerifier PUBLIC =
      of(
          null,
          null,
          VerifyKey.publicKey(null, RSA.getPublic()),
          VerifyKey.publicKey("ec", EC.getPublic()));

  private static String why(Verdict verdict) {
    assertThat(verdict).isInstanceOf(Verdict.Rejected.class);
    return ((Verdict.Rejected) verdict).why();
  }

  private static Credential accepted(Verdict verdict) {
    assertThat(verdict).isInstanceOf(Verdict.Accepted.class);
    return ((Verdict.Accepted) verdict).credential();
  }

  @Test
  void eachKindOfKeyTakesItsOwnAlgorithm() {
    assertThat(accepted(SECRET.verify(Jwts.hs256(Jwts.SECRET, CLAIMS))))
        .isEqualTo(new Credential("ann", (Jwts.NOW_S + 60) * 1_000 + 10_000, Grants.DEFAULT));
    assertThat(accepted(PUBLIC.verify(Jwts.rs256(RSA.getPrivate(), "any", CLAIMS))).user())
        .isEqualTo("ann");
    assertThat(accepted(PUBLIC.verify(Jwts.es256(EC.getPrivate(), "ec", CLAIMS))).user())
        .isEqualTo("ann");
  }

  @Test
  void aPublicKeyIsNeverTakenForASecret() {
    byte[] der = RSA.getPublic().getEncoded();
    byte[] pem = Jwts.bytes(Jwts.pem("PUBLIC KEY", der));
    byte[] modulus = ((RSAPublicKey) RSA.getPublic()).getModulus().toByteArray();
    for (byte[] secret : List.of(der, pem, modulus)) {
      assertThat(PUBLIC.verify(Jwts.hs256(secret, CLAIMS))).isInstanceOf(Verdict.Rejected.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'alg':'none'}",
        "{'alg':'None'}",
        "{'alg':'nOnE','typ':'JWT'}",
        "{'alg':''}",
        "{}",
        "{'alg':null}",
        "{'alg':'HS512'}",
        "{'alg':'HS256','crit':['x'],'x':1}",
        "{'alg':'HS256','b64':false,'crit':['b64']}",
        "{'alg':'dir','enc':'A128GCM'}"
      })
  void noOtherAlgorithmAndNoUnknownDemandIsTaken(String header) {
    String body = Jwts.body(header, CLAIMS);
    for (TokenVerifier verifier : List.of(SECRET, PUBLIC)) {
      assertThat(verifier.verify(body + ".")).isInstanceOf(Verdict.Rejected.class);
      assertThat(verifier.verify(Jwts.hmac(Jwts.SECRET, header, CLAIMS)))
          .isInstanceOf(Verdict.Rejected.class);
    }
  }

  @Test
  void aKeyIsUsedWithItsOneAlgorithmOnly() throws Exception {
    for (String sha : List.of("384", "512")) {
      assertThat(
              PUBLIC.verify(
                  Jwts.signed(
                      "SHA" + sha + "withRSA",
                      RSA.getPrivate(),
                      "{'alg':'RS" + sha + "'}",
                      CLAIMS)))
          .isInstanceOf(Verdict.Rejected.class);
    }
    SignedJWT pss =
        new SignedJWT(
            new JWSHeader(JWSAlgorithm.PS256), JWTClaimsSet.parse(CLAIMS.replace('\'', '"')));
    pss.sign(new RSASSASigner(RSA.getPrivate()));
    assertThat(PUBLIC.verify(pss.serialize())).isInstanceOf(Verdict.Rejected.class);
    byte[] longSecret = new byte[64];
    SignedJWT hs512 =
        new SignedJWT(
            new JWSHeader(JWSAlgorithm.HS512), JWTClaimsSet.parse(CLAIMS.replace('\'', '"')));
    hs512.sign(new MACSigner(longSecret));
    assertThat(of(null, null, VerifyKey.secret(longSecret)).verify(hs512.serialize()))
        .isInstanceOf(Verdict.Rejected.class);
  }

  @Test
  void keysThatATokenBringsAlongCountForNothing() {
    KeyPair stranger = Jwts.rsa(2048);
    String jwk =
        new com.nimbusds.jose.jwk.RSAKey.Builder((RSAPublicKey) stranger.getPublic())
            .build()
            .toJSONString();
    String header = "{'alg':'RS256','jwk':" + jwk + ",'jku':'http://127.0.0.1:1/'}";
    assertThat(
            why(PUBLIC.verify(Jwts.signed("SHA256withRSA", stranger.getPrivate(), header, CLAIMS))))
        .contains("no key of this server");
  }

  @Test
  void aChangedTokenIsRefused() {
    String good = Jwts.hs256(Jwts.SECRET, CLAIMS);
    String other = Jwts.hs256(Jwts.SECRET, Jwts.claims("bob", Jwts.NOW_S + 60, ""));
    String mixed =
        other.substring(0, other.lastIndexOf('.')) + good.substring(good.lastIndexOf('.'));
    assertThat(why(SECRET.verify(mixed))).contains("no key of this server");
    assertThat(why(SECRET.verify(Jwts.hs256(Jwts.bytes("x".repeat(32)), CLAIMS))))
        .contains("no key of this server");
    assertThat(why(PUBLIC.verify(Jwts.es256(EC.getPrivate(), "another", CLAIMS))))
        .contains("no key of this server");
    // The signature of zeros that some libraries once took (CVE-2022-21449).
    String zeros = Jwts.body("{'alg':'ES256'}", CLAIMS) + "." + "A".repeat(86);
    assertThat(why(PUBLIC.verify(zeros))).contains("no key of this server");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "...", "a.b.c", "a.b.c.d.e", "{}", "e30.e30.", "\u0000"})
  void whatIsNoTokenIsRefused(String text) {
    assertThat(SECRET.verify(text)).isInstanceOf(Verdict.Rejected.class);
    assertThat(PUBLIC.verify(text)).isInstanceOf(Verdict.Rejected.class);
  }

  @Test
  void lengthAndNestingAreBounded() {
    assertThat(why(SECRET.verify("x".repeat(TokenVerifier.MAX_TOKEN + 1)))).contains("characters");
    String deep = "[".repeat(2_500) + "]".repeat(2_500);
    assertThat(SECRET.verify(Jwts.token("ann", ",'x':" + deep)))
        .isInstanceOf(Verdict.Rejected.class);
    assertThat(SECRET.verify(Jwts.hmac(Jwts.SECRET, "{'alg':'HS256','x':" + deep + "}", CLAIMS)))
        .isInstanceOf(Verdict.Rejected.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'sub':'ann'}|no exp",
        "{'sub':'ann','exp':1799999990}|expired",
        "{'sub':'ann','exp':'soon'}|claims",
        "{'sub':'ann','exp':1800000060,'nbf':1800000011}|not valid yet",
        "{'exp':1800000060}|sub",
        "{'sub':'','exp':1800000060}|sub",
        "{'sub':'a b','exp':1800000060}|sub",
        "{'sub':'ä','exp':1800000060}|sub",
        "{'sub':{},'exp':1800000060}|claims",
        "[]|sub",
        "{'sub':'ann','exp':1800000060,'holdfast':true}|holdfast must be an object",
        "{'sub':'ann','exp':1800000060,'holdfast':{'publish':'yes'}}|publish",
        "{'sub':'ann','exp':1800000060,'holdfast':{'send':'*'}}|send",
        "{'sub':'ann','exp':1800000060,'holdfast':{'send':['a*b']}}|send",
        "{'sub':'ann','exp':1800000060,'holdfast':{'watch':[1]}}|watch",
        "{'sub':'ann','exp':1800000060,'holdfast':{'history':'all'}}|history"
      })
  void claimsThatWillNotDoAreNamed(String claims, String named) {
    assertThat(why(SECRET.verify(Jwts.hs256(Jwts.SECRET, claims)))).contains(named);
  }

  @Test
  void leewayHoldsForBothEnds() {
    long now = Jwts.NOW_S;
    assertThat(
            accepted(SECRET.verify(Jwts.hs256(Jwts.SECRET, Jwts.claims("ann", now - 9, ""))))
                .endsMs())
        .isEqualTo(now * 1_000 + 1_000);
    accepted(SECRET.verify(Jwts.token("ann", ",'nbf':" + (now + 10))));
  }

  @Test
  void issuerAndAudienceAreExact() {
    TokenVerifier strict = of("idp", "chat", VerifyKey.secret(Jwts.SECRET));
    accepted(strict.verify(Jwts.token("ann", ",'iss':'idp','aud':'chat'")));
    accepted(strict.verify(Jwts.token("ann", ",'iss':'idp','aud':['x','chat']")));
    assertThat(why(strict.verify(Jwts.token("ann", ",'aud':'chat'")))).contains("iss");
    assertThat(why(strict.verify(Jwts.token("ann", ",'iss':'idp/','aud':'chat'")))).contains("iss");
    assertThat(why(strict.verify(Jwts.token("ann", ",'iss':'idp'")))).contains("aud");
    assertThat(why(strict.verify(Jwts.token("ann", ",'iss':'idp','aud':['chats']"))))
        .contains("aud");
  }

  @Test
  void anyOfSeveralSecretsDoes() {
    byte[] next = Jwts.bytes("n".repeat(32));
    TokenVerifier both = of(null, null, VerifyKey.secret(next), VerifyKey.secret(Jwts.SECRET));
    accepted(both.verify(Jwts.hs256(Jwts.SECRET, CLAIMS)));
    accepted(both.verify(Jwts.hs256(next, CLAIMS)));
  }

  @Test
  void weakOrForeignKeysAreRefused() {
    assertThatThrownBy(() -> VerifyKey.secret(new byte[31])).hasMessageContaining("31 bytes");
    assertThatThrownBy(() -> VerifyKey.publicKey(null, Jwts.rsa(1024).getPublic()))
        .hasMessageContaining("1024 bits");
    assertThatThrownBy(() -> VerifyKey.publicKey(null, Jwts.ec("secp384r1").getPublic()))
        .hasMessageContaining("P-256");
  }

  @Test
  void theClaimNarrowsOrWidens() {
    Grants grants =
        accepted(
                SECRET.verify(
                    Jwts.token(
                        "ann",
                        ",'holdfast':{'publish':true,'send':['bob','team.*'],'subscribe':['news.*'],"
                            + "'watch':[],'history':'any','later':1}")))
            .grants();
    assertThat(grants.publish()).isTrue();
    assertThat(grants.anyHistory()).isTrue();
    assertThat(grants.send().allowAll(List.of("bob", "team.", "team.x"))).isTrue();
    assertThat(grants.send().allow("bobby")).isFalse();
    assertThat(grants.send().allow("team")).isFalse();
    assertThat(grants.subscribe()).hasToString("[news.*]");
    assertThat(grants.watch()).hasToString("[]");
    assertThat(Patterns.of(List.of()).allow("a")).isFalse();
    assertThat(Patterns.ALL.allow("anybody")).isTrue();
  }

  @Test
  void noticeIsAMinuteOrAFifth() {
    assertThat(new Credential("a", 1_000_000, Grants.DEFAULT).noticeMs(0)).isEqualTo(940_000);
    assertThat(new Credential("a", 10_000, Grants.DEFAULT).noticeMs(0)).isEqualTo(8_000);
    assertThat(new Credential("a", 10_000, Grants.DEFAULT).noticeMs(20_000)).isEqualTo(10_000);
  }
}
