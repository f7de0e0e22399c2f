package io.recallgate.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.recallgate.gateway.config.RecallgateConfig;
import io.recallgate.gateway.config.Setting;
import io.recallgate.recall.api.RecallSettings;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A setting that nothing reads is a promise that nobody keeps. */
class SettingsAreReadTest {

    private static final JavaClasses PRODUCT = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.recallgate");

    /** What makes the configuration. */
    private static final Set<String> MAKES = Set.of(
            "RecallgateConfig", "RemoteSettings", "ConversationSettings", "PreparationSettings", "ProbeSettings");

    /** What only makes and checks the configuration. */
    private static final Set<String> CHECKS = Set.of(
            "RecallgateConfig",
            "RemoteSettings",
            "ConversationSettings",
            "PreparationSettings",
            "ProbeSettings",
            "CrossChecks");

    @Test
    void everySettingGoesIntoTheConfiguration() {
        JavaClass settings = PRODUCT.get(Setting.class);
        List<String> unread = Stream.of(Setting.values())
                .map(Setting::name)
                .filter(name -> settings.getField(name).getAccessesToSelf().stream()
                        .noneMatch(
                                access -> MAKES.contains(access.getOriginOwner().getSimpleName())))
                .toList();

        assertThat(unread).isEmpty();
    }

    @Test
    void everyPartOfTheConfigurationIsReadByWhatItConfigures() {
        List<String> unread = new ArrayList<>();
        Stream.concat(
                        Stream.of(RecallgateConfig.class, RecallSettings.class),
                        Stream.of(RecallgateConfig.class.getDeclaredClasses()))
                .filter(Class::isRecord)
                .forEach(record -> {
                    for (RecordComponent component : record.getRecordComponents()) {
                        JavaMethod accessor = PRODUCT.get(record).getMethod(component.getName());
                        if (!isReadElsewhere(accessor)) {
                            unread.add(record.getSimpleName() + "." + component.getName());
                        }
                    }
                });

        assertThat(unread).isEmpty();
    }

    private static boolean isReadElsewhere(JavaMethod accessor) {
        return Stream.concat(
                        accessor.getAccessesToSelf().stream().map(access -> access.getOriginOwner()),
                        accessor.getReferencesToSelf().stream().map(reference -> reference.getOriginOwner()))
                .anyMatch(reader -> !reader.equals(accessor.getOwner()) && !CHECKS.contains(reader.getSimpleName()));
    }
}
