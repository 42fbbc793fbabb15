//! The table of words, and the order of lines.

use loopctl_ppocr::{RecognizedLine, RecognizedWord, TextRegion, in_reading_order, table};
use proptest::prelude::*;

/// A line of words of equal width.
fn line(left: f64, top: f64, text: &str) -> RecognizedLine {
    let words: Vec<&str> = text.split(' ').collect();
    let region = TextRegion::upright(left, top, 60.0 * words.len() as f64, 20.0);
    let word = |(at, text): (usize, &&str)| RecognizedWord {
        text: (*text).to_owned(),
        region: region.part((60.0 * at as f64, 60.0 * at as f64 + 50.0), (2.0, 18.0)),
        confidence: 0.987,
    };
    RecognizedLine { region, words: words.iter().enumerate().map(word).collect(), confidence: 0.987 }
}

/// The texts of the rows, in the order of the table.
fn rows(lines: Vec<RecognizedLine>) -> Vec<String> {
    let blocks = in_reading_order(lines);
    let text = |row: &Vec<RecognizedLine>| {
        let words = row.iter().flat_map(|line| &line.words);
        words.map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    };
    blocks.iter().flat_map(|block| &block.rows).map(text).collect()
}

#[test]
fn the_table_is_the_one_that_tesseract_writes() {
    let blocks = in_reading_order(vec![line(10.0, 20.0, "Grade 3"), line(10.0, 60.0, "4.6\tcm")]);
    let expected = "\
level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext
1\t1\t0\t0\t0\t0\t0\t0\t100\t70\t-1\t
2\t1\t1\t0\t0\t0\t10\t22\t90\t48\t-1\t
3\t1\t1\t1\t0\t0\t10\t22\t90\t48\t-1\t
4\t1\t1\t1\t1\t0\t10\t22\t90\t16\t-1\t
5\t1\t1\t1\t1\t1\t10\t22\t50\t16\t98.70\tGrade
5\t1\t1\t1\t1\t2\t70\t22\t30\t16\t98.70\t3
4\t1\t1\t1\t2\t0\t10\t62\t50\t8\t-1\t
5\t1\t1\t1\t2\t1\t10\t62\t50\t8\t98.70\t4.6 cm
";
    // What is outside of the picture is cut off, and a tab in a word does not end its column.
    assert_eq!(table(&blocks, 100, 70), expected);
    assert_eq!(table(&[], 5, 6).lines().count(), 2);
}

#[test]
fn cells_of_a_row_are_one_line() {
    let lines = vec![
        line(400.0, 22.0, "5.9 mmol/l"),
        line(10.0, 20.0, "Glucose"),
        line(10.0, 50.0, "Sodium"),
        line(400.0, 48.0, "139 mmol/l"),
    ];
    assert_eq!(rows(lines), ["Glucose 5.9 mmol/l", "Sodium 139 mmol/l"]);
}

/// The title spans both columns, and a footer; between them, the left column comes first.
#[test]
fn columns_of_running_text_are_read_one_after_the_other() {
    let mut lines = vec![line(10.0, 300.0, "foot foot foot foot foot foot foot foot foot")];
    for row in 0..6 {
        lines.push(line(320.0, 60.0 + 30.0 * row as f64, &format!("r{row} right right right")));
        lines.push(line(10.0, 62.0 + 30.0 * row as f64, &format!("l{row} left left left")));
    }
    lines.push(line(10.0, 10.0, "title title title title title title title title title"));
    let first: Vec<String> =
        rows(lines).iter().map(|row| row.split(' ').next().unwrap().to_owned()).collect();
    let expected = ["title", "l0", "l1", "l2", "l3", "l4", "l5", "r0", "r1", "r2", "r3", "r4", "r5", "foot"];
    assert_eq!(first, expected);
}

/// A stamp in the margin that is read upwards follows the text of the page.
#[test]
fn text_in_another_direction_comes_last() {
    let stamp = line(0.0, 0.0, "stamp stamp stamp");
    let turned = |line: RecognizedLine| RecognizedLine { region: line.region.turned_left(), ..line };
    let lines = vec![
        turned(stamp),
        line(100.0, 90.0, "one two three four"),
        line(100.0, 120.0, "five six seven eight"),
    ];
    assert_eq!(rows(lines), ["one two three four", "five six seven eight", "stamp stamp stamp"]);
}

/// The lines of a page that lies askew keep their order, though the left end of one is below the right end of the next.
#[test]
fn a_page_that_lies_askew_is_read_in_order() {
    let slope = 2.0_f64.to_radians();
    let askew = |row: usize, cell: usize| {
        let (x, y) = (10.0 + 700.0 * cell as f64, 20.0 + 30.0 * row as f64);
        let origin = (x * slope.cos() - y * slope.sin(), x * slope.sin() + y * slope.cos());
        let corner = |along: f64, across: f64| {
            loopctl_ppocr::PlanePoint::new(
                origin.0 + along * slope.cos() - across * slope.sin(),
                origin.1 + along * slope.sin() + across * slope.cos(),
            )
        };
        let region = TextRegion::around(vec![
            corner(0.0, 0.0),
            corner(300.0, 0.0),
            corner(0.0, 20.0),
            corner(300.0, 20.0),
        ])
        .unwrap();
        let word = RecognizedWord { text: format!("r{row}c{cell}"), region, confidence: 1.0 };
        RecognizedLine { region, words: vec![word], confidence: 1.0 }
    };
    let lines = (0..2).rev().flat_map(|cell| (0..4).map(move |row| askew(row, cell))).collect();
    assert_eq!(rows(lines), ["r0c0 r0c1", "r1c0 r1c1", "r2c0 r2c1", "r3c0 r3c1"]);
}

proptest! {
    /// Every word is in the table once, in whole pixels within the picture.
    #[test]
    fn no_word_is_lost(places in proptest::collection::vec((-50.0..700.0, -50.0..900.0, 1..5_usize, 0..4_usize), 0..60)) {
        let line = |(left, top, words, turns): (f64, f64, usize, usize)| {
            let mut line = line(left, top, &vec!["w"; words].join(" "));
            for _ in 0..turns {
                line.region = line.region.turned_left();
            }
            line
        };
        let count: usize = places.iter().map(|place| place.2).sum();
        let blocks = in_reading_order(places.into_iter().map(line).collect());
        let table = table(&blocks, 640, 800);
        let words: Vec<Vec<&str>> =
            table.lines().map(|row| row.split('\t').collect()).filter(|row: &Vec<&str>| row[0] == "5").collect();
        prop_assert_eq!(words.len(), count);
        for word in words {
            let [left, top, width, height] = [6, 7, 8, 9].map(|column| word[column].parse::<u32>().unwrap());
            prop_assert!(width > 0 && height > 0 && left + width <= 640 && top + height <= 800, "{word:?}");
        }
    }
}
