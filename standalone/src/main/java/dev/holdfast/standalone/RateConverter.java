package dev.holdfast.standalone;

import dev.holdfast.edge.admission.Rate;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 5}, {@code 5:20}, {@code 512k:4m} and {@code off}. */
final class RateConverter implements ITypeConverter<Rate> {
  /** What may come at once when only the rate is given, in seconds of it. */
  private static final double BURST_S = 2;

  private static final double KIB = 1024;

  @Override
  public Rate convert(String text) {
    String lower = text.trim().toLowerCase(Locale.ROOT);
    if (lower.equals("off") || lower.equals("0")) {
      return Rate.OFF;
    }
    int colon = lower.indexOf(':');
    try {
      double rate = number(colon < 0 ? lower : lower.substring(0, colon));
      double burst = colon < 0 ? Math.max(1, BURST_S * rate) : number(lower.substring(colon + 1));
      return new Rate(rate, burst);
    } catch (IllegalArgumentException e) {
      TypeConversionException wrong =
          new TypeConversionException(
              "'" + text + "' is no rate like 5, 5:20 (a second, at once), 512k:4m, or off");
      wrong.initCause(e);
      throw wrong;
    }
  }

  private static double number(String text) {
    double unit = text.endsWith("m") ? KIB * KIB : text.endsWith("k") ? KIB : 1;
    String digits = unit == 1 ? text : text.substring(0, text.length() - 1);
    if (!digits.matches("[0-9]+(\\.[0-9]+)?")) {
      throw new IllegalArgumentException("no number: " + text);
    }
    return Double.parseDouble(digits) * unit;
  }
}
