//! Words in tesseract's TSV, which every engine writes.

/// The columns of a row: level, page, block, paragraph, line, word, left, top, width, height, confidence, text.
const COLUMNS: usize = 12;
/// The level of words.
const WORD_LEVEL: &str = "5";
/// The most words of a picture.
const MOST_WORDS: usize = 200_000;
/// The most characters of a word.
const MOST_CHARACTERS: usize = 1_000;

/// A word that an engine read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OcrWord {
    pub(super) text: String,
    /// The line that it is in, as the engine tells lines apart.
    pub(super) line: (u32, u32, u32),
    /// Its box in pixels: left, top, right, bottom.
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
    /// From 0 to 100.
    pub(super) confidence: u8,
}

/// The words of a table, as far as they have a text and a box.
///
/// # Errors
/// When it is not such a table.
pub(super) fn words_of(table: &[u8]) -> Result<Vec<OcrWord>, &'static str> {
    let table = str::from_utf8(table).map_err(|_| "it is not UTF-8")?;
    let mut rows = table.lines();
    if !rows.next().is_some_and(|header| header.starts_with("level\t")) {
        return Err("its first row does not name the columns");
    }
    let mut words = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.splitn(COLUMNS, '\t').collect();
        if cells.first() != Some(&WORD_LEVEL) {
            continue;
        }
        if words.len() == MOST_WORDS {
            return Err("it has too many words");
        }
        words.extend(word_of(&cells).ok_or("a row of a word lacks a number")?);
    }
    Ok(words)
}

/// The word of a row: `Some(None)` for one without text.
fn word_of(cells: &[&str]) -> Option<Option<OcrWord>> {
    let number = |at: usize| cells.get(at)?.parse::<u32>().ok();
    let confidence = cells.get(10)?.parse::<f64>().ok().filter(|confidence| confidence.is_finite())?;
    let text = cells.get(11).copied().unwrap_or_default();
    let text: String =
        text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(MOST_CHARACTERS).collect();
    let (left, top) = (f64::from(number(6)?), f64::from(number(7)?));
    let (right, bottom) = (left + f64::from(number(8)?), top + f64::from(number(9)?));
    if text.is_empty() || confidence < 0.0 || right <= left || bottom <= top {
        return Some(None);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded on both sides")]
    let confidence = confidence.round().min(100.0) as u8;
    Some(Some(OcrWord {
        text,
        line: (number(2)?, number(3)?, number(4)?),
        left,
        top,
        right,
        bottom,
        confidence,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n";

    #[test]
    fn rows_of_words_are_read_and_others_are_not() {
        let table = format!(
            "{HEADER}1\t1\t0\t0\t0\t0\t0\t0\t900\t400\t-1\t\n5\t1\t1\t1\t2\t1\t36\t92\t60\t30\t96.5\tgrade\n5\t1\t1\t1\t2\t2\t99\t92\t20\t30\t41\t 2\n5\t1\t1\t1\t2\t3\t99\t92\t20\t30\t95\t \n"
        );
        let words = words_of(table.as_bytes()).unwrap();
        let read: Vec<(&str, u8)> = words.iter().map(|word| (word.text.as_str(), word.confidence)).collect();
        assert_eq!(read, [("grade", 97), ("2", 41)]);
        assert_eq!((words[0].left, words[0].bottom, words[0].line), (36.0, 122.0, (1, 1, 2)));
    }

    #[test]
    fn other_output_is_refused() {
        for other in ["", "Usage: tesseract", "level\tx\n5\t1\t1\tx\n", "level\tx\n5\t1\n"] {
            assert!(words_of(other.as_bytes()).is_err(), "{other}");
        }
        assert!(words_of(b"level\t\xff").is_err());
        assert_eq!(words_of(HEADER.as_bytes()), Ok(Vec::new()));
    }

    proptest::proptest! {
        #[test]
        fn damaged_tables_are_refused_or_read(at in 0_usize..200, byte in 0_u8..=255) {
            let mut table = format!("{HEADER}5\t1\t1\t1\t2\t1\t36\t92\t60\t30\t96.5\tgrade\n").into_bytes();
            if let Some(place) = table.get_mut(at) {
                *place = byte;
            }
            if let Ok(words) = words_of(&table) {
                proptest::prop_assert!(words.iter().all(|word| !word.text.is_empty() && word.left < word.right));
            }
        }
    }
}
