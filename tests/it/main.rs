//! Black-box tests, one module per capability, in one binary: each further binary would link everything again.

#[cfg(test)]
mod engine;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod loop_model;
#[cfg(test)]
mod policy;
#[cfg(test)]
mod provider;
