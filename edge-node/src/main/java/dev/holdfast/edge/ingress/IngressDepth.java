package dev.holdfast.edge.ingress;

/**
 * How full the queue towards Kafka is.
 *
 * @param records that wait
 * @param bytes of them, an estimate that errs high
 */
public record IngressDepth(int records, long bytes) {}
