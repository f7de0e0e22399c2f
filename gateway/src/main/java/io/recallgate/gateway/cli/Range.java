package io.recallgate.gateway.cli;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a numeric option takes. Checked before its command does anything; every numeric option has one. */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
@interface Range {

    /** The smallest. */
    long min();

    /** The largest. */
    long max();
}
