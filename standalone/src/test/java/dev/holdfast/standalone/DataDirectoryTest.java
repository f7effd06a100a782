package dev.holdfast.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.holdfast.standalone.broker.DataLock;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.state.Stores;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator reads when {@code --data} cannot be used. */
class DataDirectoryTest {
  @TempDir Path dir;

  private static String streamsOn(Path data) {
    StringWriter err = new StringWriter();
    int status =
        Main.run(
            new String[] {"streams", "--bootstrap", "127.0.0.1:1", "--data", data.toString()},
            java.util.Map.of(),
            new PrintWriter(new StringWriter()),
            new PrintWriter(err));
    assertThat(status).isEqualTo(1);
    assertThat(err.toString()).hasLineCount(1);
    return err.toString();
  }

  @Test
  void aDirectoryInUseSaysSo() {
    try (DataLock held = DataLock.take(dir, "holdfast streams")) {
      assertThat(held).isNotNull();
      assertThat(streamsOn(dir)).contains("another holdfast streams runs on " + dir);
    }
  }

  @Test
  void aFileInsteadOfADirectorySaysSo() throws IOException {
    Path file = Files.createFile(dir.resolve("file"));

    assertThat(streamsOn(file)).contains("is a file, not a directory");
    assertThat(streamsOn(file.resolve("below"))).contains("cannot keep data in ");
  }

  @Test
  void aDirectoryThatCannotBeWrittenSaysSo() throws IOException {
    Path closed = Files.createDirectory(dir.resolve("closed"));
    assertThat(closed.toFile().setWritable(false)).isTrue();
    assumeFalse(Files.isWritable(closed), "root may write everywhere");

    assertThat(streamsOn(closed)).contains("it is not writable");
  }

  @Test
  void kafkaStreamsOwnLockIsNamed() {
    try (KafkaStreams first = streams()) {
      assertThat(first.state()).isNotNull();
      Throwable thrown = Assertions.catchThrowable(this::streams);
      assertThat(thrown).isInstanceOf(StreamsException.class);
      assertThat(Failures.sentence(thrown)).startsWith("--data is locked by another process");
    }
  }

  /** One with a store on disk, which takes the lock when it is made. */
  private KafkaStreams streams() {
    StreamsBuilder builder = new StreamsBuilder();
    builder.addStateStore(
        Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore("rows"),
            org.apache.kafka.common.serialization.Serdes.ByteArray(),
            org.apache.kafka.common.serialization.Serdes.ByteArray()));
    builder.<byte[], byte[]>stream("in").process(NoWork::new, "rows");
    Properties p = new Properties();
    p.put(StreamsConfig.APPLICATION_ID_CONFIG, "app");
    p.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1");
    p.put(StreamsConfig.STATE_DIR_CONFIG, dir.toString());
    p.put(ConsumerConfig.RECONNECT_BACKOFF_MS_CONFIG, "1000");
    return new KafkaStreams(builder.build(), p);
  }

  private static final class NoWork
      implements org.apache.kafka.streams.processor.api.Processor<byte[], byte[], byte[], byte[]> {
    @Override
    public void process(org.apache.kafka.streams.processor.api.Record<byte[], byte[]> unused) {}
  }

  @Test
  void aFullDiskSaysSo() {
    Throwable full =
        new StreamsException(
            "task 0_1",
            new ProcessorStateException(
                "Error opening store rows", new IOException("No space left on device")));

    assertThat(Failures.sentence(full)).startsWith("the disk with --data is full");
  }

  @Test
  void whatIsNoDiskTroubleStaysKafkas() {
    assertThat(Failures.sentence(new StreamsException("something else")))
        .isEqualTo("Kafka refused: something else");
  }
}
