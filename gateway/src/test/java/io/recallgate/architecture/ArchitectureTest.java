package io.recallgate.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.vertx.core.Vertx;

/** The promises of ARCHITECTURE.md that a machine can hold. */
@AnalyzeClasses(
        packages = "io.recallgate",
        importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.NoTestJars.class})
class ArchitectureTest {

    /** The modules' test-jars are no part of the product. */
    static final class NoTestJars implements ImportOption {
        @Override
        public boolean includes(com.tngtech.archunit.core.importer.Location location) {
            return !location.contains("/test-classes/") && !location.contains("-tests.jar");
        }
    }

    @ArchTest
    static final ArchRule noPackageDependsOnItselfThroughOthers =
            slices().matching("io.recallgate.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule embeddingKnowsNeitherRecallNorTheGateway = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.recallgate.embedding..",
                    "io.recallgate.time..",
                    "io.recallgate.failure..",
                    "io.recallgate.caller..",
                    "io.recallgate.trace..",
                    "io.recallgate.digest..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.recallgate.recall..", "io.recallgate.gateway..");

    @ArchTest
    static final ArchRule recallDoesNotKnowTheGateway = noClasses()
            .that()
            .resideInAPackage("io.recallgate.recall..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.recallgate.gateway..");

    @ArchTest
    static final ArchRule recallUsesOnlyTheInterfaceOfEmbedding = noClasses()
            .that()
            .resideInAPackage("io.recallgate.recall..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.recallgate.embedding.pool..",
                    "io.recallgate.embedding.protocol..",
                    "io.recallgate.embedding.worker..",
                    "io.recallgate.embedding.remote..",
                    "io.recallgate.embedding.model..");

    @ArchTest
    static final ArchRule timeAndFailuresDependOnNothingOfOurs = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.recallgate.time..",
                    "io.recallgate.failure..",
                    "io.recallgate.caller..",
                    "io.recallgate.trace..",
                    "io.recallgate.digest..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.recallgate.embedding..", "io.recallgate.recall..", "io.recallgate.gateway..");

    @ArchTest
    static final ArchRule thePoolsReducerKnowsNoVertx = noClasses()
            .that()
            .resideInAnyPackage("io.recallgate.embedding.pool..", "io.recallgate.embedding.protocol..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx..", "ai.onnxruntime..", "ai.djl..");

    @ArchTest
    static final ArchRule onlyTheModelPackageTouchesNativeCode = noClasses()
            .that()
            .resideOutsideOfPackage("io.recallgate.embedding.model..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("ai.onnxruntime..", "ai.djl..");

    @ArchTest
    static final ArchRule onlyTheTimePackageReadsAClockOrSleeps = noClasses()
            .that()
            .resideOutsideOfPackage("io.recallgate.time..")
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callMethod(Thread.class, "sleep", java.time.Duration.class)
            .orShould()
            .callMethodWhere(target(nameMatching("now|systemUTC|systemDefaultZone"))
                    .and(target(owner(JavaClass.Predicates.resideInAPackage("java.time..")))));

    @ArchTest
    static final ArchRule onlyTheTimePackageSetsTimers = noClasses()
            .that()
            .resideOutsideOfPackage("io.recallgate.time..")
            .should()
            .callMethodWhere(target(nameMatching("setTimer|setPeriodic|timer|cancelTimer"))
                    .and(target(owner(JavaClass.Predicates.assignableTo(Vertx.class)))));

    @ArchTest
    static final ArchRule nothingIsCalledManagerHelperOrUtil = noClasses()
            .should()
            .haveSimpleNameEndingWith("Manager")
            .orShould()
            .haveSimpleNameEndingWith("Helper")
            .orShould()
            .haveSimpleNameEndingWith("Util")
            .orShould()
            .haveSimpleNameEndingWith("Utils");

    /**
     * What a caller can meet is a FailureException. Besides it there are a defect of a state machine, the outcome of a
     * native run inside the model, bytes between nodes that are no message of a worker, why a leg of recall gave way,
     * and a start that ends with one line on the terminal.
     */
    @ArchTest
    static final ArchRule failuresAreOneClosedFamily = classes()
            .that()
            .areAssignableTo(Exception.class)
            .should()
            .resideInAnyPackage(
                    "io.recallgate.failure..",
                    "io.recallgate.embedding.pool..",
                    "io.recallgate.embedding.model..",
                    "io.recallgate.embedding.wire..",
                    "io.recallgate.recall.search..",
                    "io.recallgate.gateway.conversation.fit..",
                    "io.recallgate.gateway.config..",
                    "io.recallgate.gateway.postgres..",
                    "io.recallgate.gateway.cli..");
}
