//! Tasks about a file, given to another process.

use super::*;
use crate::OcrSettings;
use crate::pdf::tests::{pdf, texts};
use loopctl_program::read_frame;

fn page() -> Vec<u8> {
    pdf(&[texts(&[(30, 250, "Specimen 7: margins free"), (30, 200, "Grade 2 of 3, 30 mm")])])
}

fn settings() -> ReadingSettings {
    ReadingSettings {
        ocr: Some(OcrSettings { dpi: 100, ..OcrSettings::default() }),
        ..ReadingSettings::default()
    }
}

/// The answers of a process that gets these messages, up to its end.
fn answered(messages: &[Vec<u8>]) -> io::Result<Vec<Result<ReaderAnswer, Unread>>> {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    for message in messages {
        write_frame(&mut input, message).unwrap();
    }
    answer_tasks(ReaderMessages::of(&*input), &mut output, |task| task())?;
    let mut answers = &*output;
    let frames = std::iter::from_fn(|| read_frame(&mut answers, MOST_ANSWER).unwrap());
    Ok(frames.map(ReaderAnswer::from_bytes).collect())
}

fn told(tasks: &[ReaderTask]) -> Vec<Vec<u8>> {
    let tasks = tasks.iter().map(|task| serde_json::to_vec(task).unwrap());
    [serde_json::to_vec(&settings()).unwrap(), page()].into_iter().chain(tasks).collect()
}

#[test]
fn another_process_gives_the_same_answers_to_all_tasks_of_a_file() {
    let sheet =
        SheetTask { turn: Turn::None, lines: vec![[40.0, 20.0, 300.0, 16.0]], scales: vec![0.75, 1.2] };
    let tasks = [
        ReaderTask::Text,
        ReaderTask::Lines { page: 1, sheet: sheet.clone() },
        ReaderTask::Scan { page: 2, turn: None },
        ReaderTask::Scan { page: 1, turn: None },
        // From the picture that was drawn before.
        ReaderTask::Lines { page: 1, sheet },
        ReaderTask::Ink { page: 1, words: Vec::new() },
        ReaderTask::Picture { page: 1, size: PictureSize::Scale(0.5) },
        ReaderTask::PageCount,
    ];
    let answers = answered(&told(&tasks)).unwrap();
    let file = OpenedFile::open(FileKind::Pdf, Arc::new(page()), settings()).unwrap();
    let own: Vec<_> = tasks.iter().map(|task| file.answer(task)).collect();
    assert!(answers == own, "the answers differ");
    assert_eq!(answers[2], Err(Unread::NoPage { page: 2 }));
    assert_eq!(answers[1], answers[4]);
    let pictures = answers.iter().filter(|answer| match answer {
        Ok(
            ReaderAnswer::Picture { png } | ReaderAnswer::Scan { png, .. } | ReaderAnswer::Lines { png, .. },
        ) => png.starts_with(b"\x89PNG"),
        Ok(
            ReaderAnswer::Text(_)
            | ReaderAnswer::PageCount { .. }
            | ReaderAnswer::Ink { .. }
            | ReaderAnswer::Unread(_),
        )
        | Err(_) => false,
    });
    assert_eq!(pictures.count(), 4);
}

#[test]
fn a_file_that_does_not_open_is_the_answer_to_each_task() {
    let mut messages = told(&[ReaderTask::Text, ReaderTask::Scan { page: 1, turn: None }]);
    messages[1] = b"%PDF-1.7\nnothing".to_vec();
    assert_eq!(answered(&messages).unwrap(), [Err(Unread::Damaged), Err(Unread::Damaged)]);
    messages[1] = b"plain text".to_vec();
    assert_eq!(answered(&messages).unwrap_err().kind(), io::ErrorKind::InvalidData);
    assert_eq!(answered(&messages[..1]).unwrap(), []);
}

#[test]
fn what_is_no_answer_is_no_picture() {
    for bytes in [&b"PNG"[..], b"\n", b"{}\n", b"{\"ink\":{}}\n"] {
        assert_eq!(ReaderAnswer::from_bytes(bytes.to_vec()), Err(no_answer()));
    }
}

#[test]
#[cfg(unix)]
fn a_task_that_breaks_its_process_costs_no_other_one() {
    // It counts marks once, and then ends.
    let once = r#"printf '\0\0\0\0\0\0\0\26{"ink":{"letters":7}}\n'"#;
    let program = Program {
        name: "reader".to_owned(),
        file: "/bin/sh".into(),
        arguments: vec!["-c".to_owned(), once.to_owned()],
        environment: Vec::new(),
        cwd: None,
        max_output: MOST_ANSWER,
        show_stderr: false,
    };
    let file = FileReader::contained(Arc::new(program), Arc::new(page()), &settings()).unwrap();
    for _ in 0..2 {
        assert_eq!(file.unread_letters(1, &[]), Ok(7));
        let why = "`reader` ended with exit status: 0".to_owned();
        assert_eq!(file.unread_letters(2, &[]), Err(Unread::Lost { why }));
    }
    // An answer to something else is none.
    assert_eq!(file.prepared(1, None), Err(no_answer()));
}
