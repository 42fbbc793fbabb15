//! Every mapping of test files with its keys: what the decoders beside this folder read.

mod case;
mod expect;

pub(super) use case::CASE;
pub(super) use expect::EXPECT;
