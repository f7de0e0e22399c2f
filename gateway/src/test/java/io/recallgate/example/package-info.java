/** Examples that the documentation shows, compiled and run by tests. */
package io.recallgate.example;
