/**
 * SHA-256 as everything here uses it: for identities that are derived from content, for hashes of keys, for digests of
 * conversations. One place, because the JDK declares an exception for an algorithm that every JDK has.
 */
@NullMarked
package io.recallgate.digest;

import org.jspecify.annotations.NullMarked;
