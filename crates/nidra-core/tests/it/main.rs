//! Integration tests of the core: the text tools together, through the public interface.
