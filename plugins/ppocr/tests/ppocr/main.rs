//! Tests of the reader of scans: its steps, and with the models all of it.

mod geometry;
mod pictures;
mod reading;
mod steps;
mod tables;
