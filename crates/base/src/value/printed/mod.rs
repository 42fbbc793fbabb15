//! The content that a text prints, found whole: numbers, however they are written, and words.
//!
//! - `numbers.rs`: the numbers of a text, to be asked for one;
//! - `figures.rs`: how numbers are cut out of a text, and where one begins and ends;
//! - `style.rs`: what points, commas and blanks within a number mean;
//! - `spelled.rs`: numbers in words;
//! - `words.rs`: the words of a text, to be asked for a name.

mod figures;
mod numbers;
mod spelled;
mod style;
mod words;

pub use numbers::PrintedNumbers;
pub use words::PrintedWords;
