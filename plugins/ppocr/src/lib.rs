//! Reads the text of scans with PP-OCR models.
//!
//! A picture goes in; words with their places and confidence come out, in the table that tesseract writes (TSV), so that a
//! host runs either program. Lines are found as rectangles that may be turned, cut out along their direction, and read one
//! by one: a page need not lie straight.
//!
//! From the outside in: `engine` ties the steps together, `models` finds and loads the models, `detection` finds lines
//! (`probability`: regions in the model's map), `recognition` reads them (`crop`: cut out, `ctc`: characters, `words`: their
//! places by `ink`), `reading_order` sorts them, `tsv` writes the table. `picture`, `geometry` and `rounding` are below.

mod crop;
mod ctc;
mod detection;
mod engine;
mod error;
mod geometry;
mod ink;
mod models;
mod picture;
mod probability;
mod reading_order;
mod recognition;
mod rounding;
mod tsv;
mod words;

pub use ctc::{ReadCharacter, mean_confidence, read_steps};
pub use engine::PpocrEngine;
pub use error::PpocrError;
pub use geometry::{PlanePoint, TextRegion};
pub use models::folder_of_models;
pub use picture::{LONGEST_SIDE, MOST_PIXELS, RgbPicture};
pub use probability::ProbabilityMap;
pub use reading_order::{PageBlock, in_reading_order};
pub use recognition::RecognizedLine;
pub use tsv::table;
pub use words::RecognizedWord;
