package dev.holdfast.delivery.topology;

import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProductionExceptionHandler;

/**
 * What Streams could not write ends its thread uncommitted; the next one begins at the committed
 * position. Kafka's default calls the task corrupted after errors that may pass, which {@link
 * StateCheck} says why not to. Made by Kafka Streams.
 */
public final class EndOnFailedWrite implements ProductionExceptionHandler {
  @Override
  public Response handleError(
      ErrorHandlerContext context, ProducerRecord<byte[], byte[]> record, Exception error) {
    return Response.fail();
  }

  @Override
  public void configure(Map<String, ?> configs) {}
}
