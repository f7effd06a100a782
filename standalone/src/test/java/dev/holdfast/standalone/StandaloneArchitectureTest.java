package dev.holdfast.standalone;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "dev.holdfast.standalone",
    importOptions = ImportOption.DoNotIncludeTests.class)
class StandaloneArchitectureTest {
  @ArchTest
  static final ArchRule NOBODY_KNOWS_UNDERTOW =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.undertow..", "org.xnio..", "dev.holdfast.edge.socket..");

  @ArchTest
  static final ArchRule RELAYS_PASS_BYTES_AND_KNOW_NOTHING_ELSE =
      classes()
          .that()
          .resideInAPackage("..standalone.relay..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java..", "org.jspecify..", "org.slf4j..", "..standalone.relay..");

  @ArchTest
  static final ArchRule PAGES_KNOW_OF_EDGES_WHAT_THEY_ARE_ASKED =
      noClasses()
          .that()
          .resideInAPackage("..standalone.pages..")
          .should()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "belong to an edge, but not to its pages",
                  type ->
                      type.getPackageName().startsWith("dev.holdfast.edge")
                          && !type.getPackageName().equals("dev.holdfast.edge.page")));

  @ArchTest
  static final ArchRule ONLY_QUOTES_ARE_WRITTEN_TO_KAFKA =
      noClasses()
          .that()
          .resideInAPackage("..standalone.pages..")
          .and()
          .doNotHaveSimpleName("QuoteTopic")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka..");
}
