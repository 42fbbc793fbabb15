//! The merged settings of a profile for people: as YAML that loads to the same digest, each with the location where it
//! was set.
//!
//! Possible secrets are not shown: a password in a URL, a value of a plugin's or server's settings whose name suggests
//! one, and what an environment variable puts into such settings, which is shown as it was written.

mod complete;
mod shown;

pub use shown::Shown;
