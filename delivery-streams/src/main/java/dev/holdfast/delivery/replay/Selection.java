package dev.holdfast.delivery.replay;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Which records are replayed, and as what. For one thread. */
public sealed interface Selection permits SourceSelection, UserSelection {
  /** As it is told to the operator. */
  String what();

  /** The topic that is read. */
  String topic();

  /** The partitions that are read, unless one is named. */
  List<TopicPartition> partitions();

  /** Offset before which a partition may be replayed; {@link Long#MAX_VALUE} for all there is. */
  long limit(TopicPartition partition);

  /** How long before the range reading must begin, in ms, so that first times are known. */
  long leadMs();

  /** Looks at a record, of the lead or of the range; records come in order. */
  Choice choose(ConsumerRecord<byte[], byte[]> record);
}
