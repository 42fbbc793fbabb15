//! The merged settings of a profile for people: as YAML that loads to the same digest, each with the place where it was
//! said.
//!
//! What could be a secret is not shown: a password in a URL, a value of a plugin's or server's settings whose name says
//! that it is one, and what an environment variable puts into such settings, which is shown as it was written.

mod complete;
mod shown;

pub(crate) use shown::Shown;
