package dev.holdfast.client;

/**
 * The message is on all in-sync replicas for every addressee.
 *
 * @param clientMsgId the client's id of it
 * @param msgId everybody's id of it
 */
public record Sent(String clientMsgId, String msgId) {}
