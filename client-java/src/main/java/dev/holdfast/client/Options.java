package dev.holdfast.client;

import dev.holdfast.client.rules.Backoff;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the application chose.
 *
 * @param urls empty when {@code urlFunction} is there
 * @param token a fixed one
 * @param tokenFunction asked at each attempt
 * @param storeName of the keys under which things are stored
 */
record Options(
    List<String> urls,
    @Nullable Supplier<CompletionStage<String>> urlFunction,
    @Nullable String user,
    @Nullable String clientId,
    String storeName,
    @Nullable String token,
    @Nullable Supplier<CompletionStage<String>> tokenFunction,
    Backoff backoff,
    long heartbeatMs,
    int misses,
    long connectTimeoutMs,
    long stableMs,
    int maxAttempts,
    int outboxMax) {}
