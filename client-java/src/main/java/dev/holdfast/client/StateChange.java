package dev.holdfast.client;

/**
 * A change of the state.
 *
 * @param reason why, like {@code welcome}, {@code timer} or a close code's reason
 * @param isFinal nothing happens until the application calls {@link HoldfastClient#connect}
 */
public record StateChange(State state, State before, String reason, boolean isFinal) {}
