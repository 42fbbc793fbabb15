//! A reading held against the truth, by the place of each word on the page.

use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;

/// A word on a page: its text, its box (left, top, right, bottom), and the doubt about it.
#[derive(Debug, Clone)]
pub(crate) struct PlacedToken {
    pub(crate) text: String,
    pub(crate) bounds: [f64; 4],
    /// The clause that says why it is in doubt.
    pub(crate) doubt: Option<String>,
}

/// Counts of words and numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) words: Part,
    pub(crate) digit_tokens: Part,
    pub(crate) numbers: Part,
    /// Misread numbers, and those of them that are in doubt.
    pub(crate) misread: Part,
    /// Of these, numbers with other decimal marks alone, and with another sign or comparison alone.
    pub(crate) marks: Part,
    pub(crate) signs: Part,
    /// Right numbers, and those of them that are in doubt.
    pub(crate) right: Part,
}

/// A part of a whole.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Part {
    pub(crate) part: usize,
    pub(crate) all: usize,
}

impl Part {
    fn count(&mut self, is_part: bool) {
        self.all += 1;
        self.part += usize::from(is_part);
    }

    fn add(&mut self, other: Part) {
        self.part += other.part;
        self.all += other.all;
    }

    pub(crate) fn percent(self) -> f64 {
        if self.all == 0 { 100.0 } else { self.part as f64 * 100.0 / self.all as f64 }
    }
}

impl Counts {
    pub(crate) fn add(&mut self, other: Counts) {
        self.words.add(other.words);
        self.digit_tokens.add(other.digit_tokens);
        self.numbers.add(other.numbers);
        self.misread.add(other.misread);
        self.marks.add(other.marks);
        self.signs.add(other.signs);
        self.right.add(other.right);
    }
}

/// Holds the words of a reading, in order, against the true ones. Returns the counts, and what was misread, missed or
/// in doubt.
pub(crate) fn compared(truth: &[PlacedToken], read: &[PlacedToken]) -> (Counts, Vec<String>) {
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    let mut left: HashMap<String, usize> = HashMap::new();
    for token in read.iter().flat_map(|word| tokens(&word.text)) {
        *left.entry(token).or_default() += 1;
    }
    for word in truth.iter().flat_map(|word| tokens(&word.text)) {
        let is_found = left.get_mut(&word).is_some_and(|left| {
            let is_left = *left > 0;
            *left = left.saturating_sub(1);
            is_left
        });
        counts.words.count(is_found);
        if has_digit(&word) {
            counts.digit_tokens.count(is_found);
            if !is_found {
                wrong.push(format!("missed {word}"));
            }
        }
    }
    let mut left: HashMap<String, usize> = HashMap::new();
    let figures_of = |words: &[PlacedToken]| figures(words.iter().map(|word| word.text.as_str()));
    let (figures_true, figures_read) = (figures_of(truth), figures_of(read));
    for figure in figures_read.iter().flatten() {
        *left.entry(figure.number.clone()).or_default() += 1;
    }
    for figure in figures_true.iter().flatten() {
        let found = left.get_mut(&figure.number).filter(|left| **left > 0);
        counts.numbers.count(found.is_some());
        if let Some(left) = found {
            *left -= 1;
        }
    }
    for (word, figures) in read.iter().zip(&figures_read).filter(|(_, figures)| !figures.is_empty()) {
        let here = truth.iter().zip(&figures_true).filter(|(other, _)| overlap(word.bounds, other.bounds));
        let (words, there): (Vec<&str>, Vec<&[Figure]>) =
            here.map(|(other, figures)| (other.text.as_str(), figures.as_slice())).unzip();
        let there: Vec<&Figure> = there.into_iter().flatten().collect();
        let seen: Vec<&Figure> = figures.iter().collect();
        let is_doubtful = word.doubt.is_some();
        let doubt = word.doubt.as_ref().map_or(String::new(), |why| format!(" ({why})"));
        // The truth may split the same figures into other words.
        if there.windows(seen.len()).any(|some| some == seen) {
            counts.right.count(is_doubtful);
            if is_doubtful {
                wrong.push(format!("right {}{doubt}", word.text));
            }
            continue;
        }
        counts.misread.count(is_doubtful);
        let same = |key: fn(&Figure) -> String| {
            let seen: Vec<String> = seen.iter().map(|figure| key(figure)).collect();
            let there: Vec<String> = there.iter().map(|figure| key(figure)).collect();
            there.windows(seen.len()).any(|some| some == seen)
        };
        let kind = if same(|figure| figure.number.clone()) {
            counts.signs.count(is_doubtful);
            "sign of "
        } else if same(|figure| figure.number.chars().filter(|c| c.is_numeric()).collect()) {
            counts.marks.count(is_doubtful);
            "decimal mark of "
        } else {
            ""
        };
        wrong.push(format!("{kind}{} read as {}{doubt}", words.join(" "), word.text));
    }
    (counts, wrong)
}

/// A number with its sign.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Figure {
    sign: Option<char>,
    number: String,
}

/// For each word its numbers, with the signs before them.
fn figures<'a>(words: impl Iterator<Item = &'a str>) -> Vec<Vec<Figure>> {
    let mut all = Vec::new();
    let mut line: Vec<char> = Vec::new();
    for word in words {
        let mut figures = Vec::new();
        line.push(' ');
        let mut chars = word.nfkc().map(with_one_dash).peekable();
        while let Some(c) = chars.next() {
            if !c.is_numeric() {
                line.push(c);
                continue;
            }
            let sign = sign(&line);
            let mut number = String::from(c);
            while let Some(c) = chars.next_if(|c| c.is_numeric() || matches!(c, '.' | ',')) {
                number.push(c);
            }
            line.extend(number.chars());
            number.truncate(number.trim_end_matches(['.', ',']).len());
            figures.push(Figure { sign, number });
        }
        all.push(figures);
    }
    all
}

fn sign(before: &[char]) -> Option<char> {
    let mut before = before.iter().rev().filter(|c| !c.is_whitespace());
    match before.next()? {
        c @ ('<' | '>' | '±' | '≤' | '≥') => Some(*c),
        '-' => (!before.next().is_some_and(|c| c.is_alphanumeric())).then_some('-'),
        _ => None,
    }
}

fn overlap(a: [f64; 4], b: [f64; 4]) -> bool {
    let shared = |from: usize, to: usize| a[to].min(b[to]) - a[from].max(b[from]);
    let least = |from: usize, to: usize| (a[to] - a[from]).min(b[to] - b[from]);
    shared(0, 2) > 0.3 * least(0, 2) && shared(1, 3) > 0.3 * least(1, 3)
}

fn has_digit(text: &str) -> bool {
    text.chars().any(char::is_numeric)
}

fn with_one_dash(c: char) -> char {
    if matches!(c, '\u{ad}' | '\u{2010}'..='\u{2015}' | '\u{2212}') { '-' } else { c }
}

/// The tokens of a word: parted at signs, which have blanks around them or not, without the marks around each, and with one
/// kind of dash.
fn tokens(word: &str) -> Vec<String> {
    let word: String = word.nfkc().map(with_one_dash).collect();
    let is_around = |c: char| (c.is_ascii_punctuation() && !matches!(c, '-' | '%')) || "“”‘’†‡".contains(c);
    let tokens =
        word.split(['=', '<', '>', '±', '≤', '≥']).map(|token| token.trim_matches(is_around).to_owned());
    tokens.filter(|token| !token.is_empty()).collect()
}
