//! Tests of the reader of scans: its steps, and with the models all of it.

#[cfg(test)]
mod geometry;
#[cfg(test)]
mod pictures;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod steps;
#[cfg(test)]
mod tables;
