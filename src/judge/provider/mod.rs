//! Providers: pure translators between messages and a service's own JSON. They send nothing.

pub(super) mod openai;
