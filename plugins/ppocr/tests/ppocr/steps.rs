//! Regions in a map of probabilities, and characters in steps.

use loopctl_ppocr::{ProbabilityMap, mean_confidence, read_steps};
use proptest::prelude::*;

fn characters() -> Vec<String> {
    ["a", "b", "1", "½"].map(str::to_owned).into()
}

/// The probabilities of a model that is this sure of one class after another.
fn probabilities(classes: &[usize], sure: f32) -> Vec<f32> {
    let count = characters().len() + 2;
    let of_step = |class: &usize| {
        let class = *class;
        (0..count).map(move |other| if other == class { sure } else { 0.1 })
    };
    classes.iter().flat_map(of_step).collect()
}

fn text(classes: &[usize]) -> String {
    read_steps(&probabilities(classes, 0.9), &characters())
        .into_iter()
        .map(|character| character.text)
        .collect()
}

#[test]
fn repeated_classes_are_one_character_unless_none_is_between() {
    assert_eq!(text(&[0, 1, 1, 0, 1, 2, 2, 5, 5, 3, 0, 0, 4]), "aab 1½");
    assert_eq!(text(&[]), "");
    assert_eq!(text(&[0, 0]), "");
    let read = read_steps(&probabilities(&[0, 1, 1, 1, 0, 2], 0.9), &characters());
    let steps: Vec<f64> = read.iter().map(|character| character.step).collect();
    assert_eq!(steps, [2.0, 5.0]);
    assert!((mean_confidence(&read) - 0.9).abs() < 1e-6);
    assert!(mean_confidence(&[]) == 0.0);
}

proptest! {
    /// A text that is written as CTC demands is read back, however long each class is held.
    #[test]
    fn any_text_is_read_from_its_steps(written in proptest::collection::vec((1..6_usize, 1..4_usize, 1..3_usize), 0..30)) {
        let mut classes = Vec::new();
        let mut expected = String::new();
        for (class, held, none) in written {
            classes.extend(std::iter::repeat_n(class, held));
            classes.extend(std::iter::repeat_n(0, none));
            expected.push_str(characters().get(class - 1).map_or(" ", String::as_str));
        }
        prop_assert_eq!(text(&classes), expected);
    }

    /// Steps that do not fill their classes, and values that are no numbers, are read without a fault.
    #[test]
    fn any_output_is_read(values in proptest::collection::vec(prop_oneof![any::<f32>(), Just(f32::NAN)], 0..200)) {
        for character in read_steps(&values, &characters()) {
            prop_assert!((0.0..=1.0).contains(&character.confidence));
        }
        for region in ProbabilityMap::new(7, &values).regions() {
            prop_assert!(region.area().is_finite());
        }
    }

    /// A turned bar of text is found where it is, and larger than its core at each side.
    #[test]
    fn a_line_in_a_map_is_one_region(degrees in -40.0..40.0_f64, length in 60.0..140.0_f64, thickness in 8.0..20.0_f64) {
        let (width, center) = (220_usize, 110.0);
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let values: Vec<f32> = (0..width * width)
            .map(|at| {
                let (x, y) = ((at % width) as f64 - center, (at / width) as f64 - center);
                let (along, across) = (x * cosine + y * sine, y * cosine - x * sine);
                if along.abs() <= length / 2.0 && across.abs() <= thickness / 2.0 { 0.95 } else { 0.01 }
            })
            .collect();
        let regions = ProbabilityMap::new(width, &values).regions();
        prop_assert_eq!(regions.len(), 1);
        let region = regions[0];
        let growth = length * thickness * 1.6 / (2.0 * (length + thickness));
        prop_assert!((region.length() - length - 2.0 * growth).abs() < 5.0, "{:?}", region);
        prop_assert!((region.thickness() - thickness - 2.0 * growth).abs() < 5.0, "{:?}", region);
        let angle = region.direction().y.atan2(region.direction().x).to_degrees();
        prop_assert!((angle - degrees).abs() < 3.0, "{angle} for {degrees}");
        prop_assert!((region.center().x - center).hypot(region.center().y - center) < 2.0);
    }
}

#[test]
fn faint_and_tiny_marks_are_no_text() {
    let mut values = vec![0.0; 100 * 100];
    for row in 10..30 {
        values[row * 100 + 10..row * 100 + 60].fill(0.4);
    }
    values[50 * 100 + 50] = 1.0;
    assert!(ProbabilityMap::new(100, &values).regions().is_empty());
    for value in &mut values {
        *value *= 2.0;
    }
    assert_eq!(ProbabilityMap::new(100, &values).regions().len(), 1);
}
