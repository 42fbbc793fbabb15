//! Black-box tests, one module per capability, in one binary: each further binary would link everything again.

#[cfg(test)]
mod dependencies;
#[cfg(test)]
mod documentation;
#[cfg(test)]
mod provider;
