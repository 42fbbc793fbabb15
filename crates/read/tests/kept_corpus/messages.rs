//! Messages to the process that reads a file, and from it, as the corpus holds them.

use loopctl_program::{read_frame, write_frame};
use loopctl_read::answer_unlimited;

/// The end of the settings and tasks, before the file.
const END_OF_TASKS: &[u8] = b"\n\n";

/// Answers the tasks of an input: a line of settings, one for each task, an empty line, and the file. An input without an
/// empty line is the stream itself. Returns a fault of the answers, if they have one.
pub(crate) fn fault_of_answers(input: &[u8]) -> Option<String> {
    let mut stream = Vec::new();
    match input.windows(END_OF_TASKS.len()).position(|end| end == END_OF_TASKS) {
        None => stream.extend_from_slice(input),
        Some(end) => {
            let (head, file) = input.split_at(end);
            let mut lines = head.split(|byte| *byte == b'\n');
            let settings = lines.next().unwrap_or_default();
            let file = file.strip_prefix(END_OF_TASKS).unwrap_or_default();
            for message in [settings, file].into_iter().chain(lines) {
                // A vector takes it.
                let _ = write_frame(&mut stream, message);
            }
        }
    }
    let mut output = Vec::new();
    // Tasks that can't be read end it; the ones before them have their answers.
    let _ = answer_unlimited(&*stream, &mut output);
    let mut answers = &*output;
    loop {
        match read_frame(&mut answers, u64::MAX) {
            Ok(Some(answer)) if answer.contains(&b'\n') => {}
            Ok(Some(_)) => return Some("an answer has no line".to_owned()),
            Ok(None) => return None,
            Err(error) => return Some(error.to_string()),
        }
    }
}
