package dev.holdfast.testkit.it;

import dev.holdfast.testkit.process.PhoneClient;
import dev.holdfast.testkit.process.PhoneLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares what was accepted with what was handed over: each accepted message once to each of its
 * addressees' phones, in seq order, and a sender's messages in the order of sending.
 */
final class Ledger {
  private final List<PhoneClient> phones;

  Ledger(List<PhoneClient> phones) {
    this.phones = phones;
  }

  /** Accepted sends, counted once for each addressee. */
  int accepted() {
    int n = 0;
    for (PhoneClient phone : phones) {
      for (PhoneLog.Sent sent : phone.log().sent()) {
        n += sent.to().size();
      }
    }
    return n;
  }

  /** What each phone lacks of what was accepted for it; empty when everything has arrived. */
  List<String> missing() {
    Map<String, Set<String>> owed = new HashMap<>();
    for (PhoneClient phone : phones) {
      for (PhoneLog.Sent sent : phone.log().sent()) {
        for (String user : sent.to()) {
          owed.computeIfAbsent(user, u -> new HashSet<>()).add(sent.msgId());
        }
      }
    }
    List<String> missing = new ArrayList<>();
    for (PhoneClient phone : phones) {
      Set<String> left = new HashSet<>(owed.getOrDefault(phone.user(), Set.of()));
      phone.log().handed().forEach(h -> left.remove(h.msgId()));
      left.forEach(id -> missing.add(phone.user() + " lacks " + id));
    }
    return missing;
  }

  /** Repeats, gaps and disorder as the applications saw them; empty is good. */
  List<String> violations() {
    List<String> found = new ArrayList<>();
    for (PhoneClient phone : phones) {
      phone.log().violations().forEach(v -> found.add(phone.user() + ": " + v));
      Set<String> ids = new HashSet<>();
      Map<String, Integer> lastOfSender = new HashMap<>();
      long last = 0;
      for (PhoneLog.Handed h : phone.log().handed()) {
        if (h.seq() <= last) {
          found.add(phone.user() + ": seq " + h.seq() + " after " + last);
        }
        last = h.seq();
        if (!ids.add(h.msgId())) {
          found.add(phone.user() + ": " + h.msgId() + " twice");
        }
        int n = number(h.payload());
        Integer before = lastOfSender.put(h.from(), n);
        if (before != null && before >= n) {
          found.add(phone.user() + ": " + h.from() + "'s " + n + " after its " + before);
        }
      }
    }
    return found;
  }

  /** Test payloads are numbers, growing with each send of one sender. */
  private static int number(String payload) {
    return Integer.parseInt(payload);
  }
}
