//! The characters of a line from the probabilities of each step (connectionist temporal classification).

use crate::rounding::measure;

/// A character that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadCharacter {
    /// The character, as text.
    pub text: String,
    /// The middle of the steps in which it was read.
    pub step: f64,
    /// The highest probability that it had in one of them.
    pub confidence: f64,
}

/// The characters in the probabilities of one step after another, each step of `1 + characters + 1` classes: none, the
/// characters, a blank. Equal classes that follow each other are one character.
#[must_use]
pub fn read_steps(probabilities: &[f32], characters: &[String]) -> Vec<ReadCharacter> {
    let mut read: Vec<ReadCharacter> = Vec::new();
    let mut before = 0;
    let mut first_step = 0;
    for (step, classes) in probabilities.chunks_exact(characters.len() + 2).enumerate() {
        let (class, probability) = likeliest(classes);
        if class == before && class > 0 {
            if let Some(last) = read.last_mut() {
                last.step = measure(first_step + step) / 2.0;
                last.confidence = last.confidence.max(probability);
            }
        } else if class > 0 {
            first_step = step;
            let text = characters.get(class - 1).map_or(" ", String::as_str);
            read.push(ReadCharacter { text: text.to_owned(), step: measure(step), confidence: probability });
        }
        before = class;
    }
    read
}

/// The class of the highest probability, the first of several.
fn likeliest(classes: &[f32]) -> (usize, f64) {
    let mut best = (0, f32::NEG_INFINITY);
    for (class, probability) in classes.iter().enumerate() {
        if *probability > best.1 {
            best = (class, *probability);
        }
    }
    (best.0, f64::from(best.1).clamp(0.0, 1.0))
}

/// The mean confidence of characters; 0 without any.
#[must_use]
pub fn mean_confidence(characters: &[ReadCharacter]) -> f64 {
    if characters.is_empty() {
        return 0.0;
    }
    characters.iter().map(|character| character.confidence).sum::<f64>() / measure(characters.len())
}
