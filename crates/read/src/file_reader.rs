//! The reader of one file, which is kept for all tasks about it: in this process, or in processes of its own.

use super::file_kind::FileKind;
use super::file_text::{FileText, Unread};
use super::ocr::{LineSheet, PagePictures, PictureFrame, SheetTask, Turn};
use super::opened_file::OpenedFile;
use super::page_picture::{PagePicture, PictureSize};
use super::reader_messages::ReaderMessages;
use super::reader_task::{ReaderAnswer, ReaderTask, ReadingSettings, no_answer};
use super::reading_progress::{ReadingObserver, ReadingProgress};
use loopctl_core::document::PageBox;
use loopctl_program::{KeptProgram, LimitedTasks, ProcessLimits, Program, write_frame};
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The bounds of a process that reads a file: memory in bytes; time on a processor and time in all, of each task.
const LIMITS: ProcessLimits =
    ProcessLimits { memory: 2 << 30, processor: Duration::from_secs(60), time: Duration::from_secs(120) };
/// The time after which a process that did not end itself at its limits is killed.
const PATIENCE: Duration = Duration::from_secs(150);
/// The longest answer of such a process, in bytes: the text, and the location of each word.
pub(super) const MOST_ANSWER: u64 = 256 << 20;

/// The reader of one file. Tasks may be given to it at the same time.
pub(super) struct FileReader {
    access: FileAccess,
    /// Is told each page that OCR begins.
    observer: Option<ReadingObserver>,
}

enum FileAccess {
    InProcess(Box<OpenedFile>),
    Contained(ContainedFile),
}

impl FileReader {
    /// Opens a file in this process.
    ///
    /// # Errors
    /// As [`OpenedFile::open`].
    pub(super) fn in_process(
        kind: FileKind,
        bytes: Arc<Vec<u8>>,
        settings: ReadingSettings,
    ) -> Result<Self, Unread> {
        let access = FileAccess::InProcess(Box::new(OpenedFile::open(kind, bytes, settings)?));
        Ok(FileReader { access, observer: None })
    }

    /// A reader of a file that starts a program which calls [`answer_contained`]: one process, and more of them while tasks
    /// are done at the same time.
    ///
    /// # Errors
    /// When the settings can't be written.
    pub(super) fn contained(
        program: Arc<Program>,
        bytes: Arc<Vec<u8>>,
        settings: &ReadingSettings,
    ) -> Result<Self, Unread> {
        let settings = Arc::new(serde_json::to_vec(settings).map_err(|error| lost(error.to_string()))?);
        let file = ContainedFile { program, settings, bytes, idle: Mutex::default() };
        Ok(FileReader { access: FileAccess::Contained(file), observer: None })
    }

    /// This reader, which tells its observer each page that OCR begins.
    pub(super) fn observed(self, observer: Option<ReadingObserver>) -> Self {
        FileReader { observer, ..self }
    }

    /// The text of the file.
    pub(super) fn text(&self) -> Result<FileText, Unread> {
        let ReaderAnswer::Text(text) = self.ask(&ReaderTask::Text)? else { return Err(no_answer()) };
        Ok(text)
    }

    /// The number of its pages.
    pub(super) fn page_count(&self) -> Result<usize, Unread> {
        let ReaderAnswer::PageCount { pages } = self.ask(&ReaderTask::PageCount)? else {
            return Err(no_answer());
        };
        Ok(pages)
    }

    /// A picture of a page, counted from 1.
    pub(super) fn picture(&self, page: usize, size: PictureSize) -> Result<PagePicture, Unread> {
        let answer = self.ask(&ReaderTask::Picture { page, size })?;
        let ReaderAnswer::Picture { png } = answer else { return Err(no_answer()) };
        PagePicture::from_png(png).ok_or_else(no_answer)
    }

    fn ask(&self, task: &ReaderTask) -> Result<ReaderAnswer, Unread> {
        match &self.access {
            FileAccess::InProcess(file) => file.answer(task),
            FileAccess::Contained(file) => file.ask(task),
        }
    }
}

impl PagePictures for FileReader {
    fn begun(&self, page: usize, pages: usize) {
        if let Some(observer) = &self.observer {
            observer.tell(ReadingProgress { page, pages });
        }
    }

    fn prepared(&self, page: usize, turn: Option<Turn>) -> Result<(PictureFrame, Vec<u8>), Unread> {
        let answer = self.ask(&ReaderTask::Scan { page, turn })?;
        let ReaderAnswer::Scan { frame, png } = answer else { return Err(no_answer()) };
        Ok((frame, png))
    }

    fn unread_letters(&self, page: usize, words: &[PageBox]) -> Result<usize, Unread> {
        let answer = self.ask(&ReaderTask::Ink { page, words: words.to_vec() })?;
        let ReaderAnswer::Ink { letters } = answer else { return Err(no_answer()) };
        Ok(letters)
    }

    fn lines(&self, page: usize, sheet: SheetTask) -> Result<(LineSheet, Vec<u8>), Unread> {
        let answer = self.ask(&ReaderTask::Lines { page, sheet })?;
        let ReaderAnswer::Lines { sheet, png } = answer else { return Err(no_answer()) };
        Ok((sheet, png))
    }
}

/// A file that is read by processes of its own.
struct ContainedFile {
    program: Arc<Program>,
    settings: Arc<Vec<u8>>,
    bytes: Arc<Vec<u8>>,
    /// Processes that have the file and nothing to do.
    idle: Mutex<Vec<IdleProcess>>,
}

/// A process that has a file and nothing to do.
struct IdleProcess {
    process: KeptProgram,
    /// The page of its latest task, which it may have at hand.
    page: Option<usize>,
}

impl ContainedFile {
    fn ask(&self, task: &ReaderTask) -> Result<ReaderAnswer, Unread> {
        let request = serde_json::to_vec(task).map_err(|error| lost(error.to_string()))?;
        let page = task.page();
        let mut process = self.idle_process(page).map_or_else(|| self.start(), Ok)?;
        // One that a task has broken is dropped here, and so killed: the next task begins with another.
        let answer = process.ask(request, PATIENCE).map_err(|failure| lost(failure.error.message))?;
        let answer = ReaderAnswer::from_bytes(answer)
            .and_then(|answer| if answer.is_sound() { Ok(answer) } else { Err(no_answer()) });
        if !matches!(answer, Err(Unread::Lost { .. })) {
            let idle = IdleProcess { process, page };
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(idle);
        }
        answer
    }

    /// A process without a task: best the one that had this page last.
    fn idle_process(&self, page: Option<usize>) -> Option<KeptProgram> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().position(|one| one.page == page).or_else(|| idle.len().checked_sub(1))?;
        Some(idle.swap_remove(at).process)
    }

    /// Starts a process, and sends it the file.
    fn start(&self) -> Result<KeptProgram, Unread> {
        let process =
            KeptProgram::start(Arc::clone(&self.program)).map_err(|failure| lost(failure.error.message))?;
        process.send(Arc::clone(&self.settings));
        process.send(Arc::clone(&self.bytes));
        Ok(process)
    }
}

fn lost(why: String) -> Unread {
    Unread::Lost { why }
}

/// Answers the tasks that `input` holds about its file, as the process that
/// [`DocumentReader::contained`](crate::DocumentReader::contained) starts. The process is limited from here on. It ends with
/// `input`, also in the middle of a task: whoever gave it is gone.
///
/// # Errors
/// When the process can't be limited, a task can't be read, or its streams fail.
pub fn answer_contained(input: impl Read + Send + 'static, output: &mut dyn Write) -> io::Result<()> {
    let limits = LimitedTasks::limit_this_process(&LIMITS)?;
    let messages = ReaderMessages::of(input).until_no_one_waits()?;
    answer_tasks(messages.into_iter(), output, |task| limits.within(task)?)
}

/// Answers as [`answer_contained`] does, up to the end of `input`, in a process that others limit: one that tries hostile messages.
///
/// # Errors
/// When a task can't be read, or the streams fail.
pub fn answer_unlimited(input: impl Read, output: &mut dyn Write) -> io::Result<()> {
    answer_tasks(ReaderMessages::of(input), output, |task| task())
}

/// Answers tasks: each is done within `bounds`, which is also given the opening of the file.
fn answer_tasks(
    mut messages: impl Iterator<Item = io::Result<Vec<u8>>>,
    output: &mut dyn Write,
    bounds: impl Fn(&mut dyn FnMut() -> io::Result<()>) -> io::Result<()>,
) -> io::Result<()> {
    let (Some(settings), Some(bytes)) = (messages.next(), messages.next()) else { return Ok(()) };
    let (settings, bytes) = (settings?, bytes?);
    let settings: ReadingSettings = serde_json::from_slice(&settings)?;
    let kind = FileKind::of(&bytes)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a kind of file with a reader"))?;
    let bytes = Arc::new(bytes);
    let mut opened = None;
    for task in messages {
        let task: ReaderTask = serde_json::from_slice(&task?)?;
        bounds(&mut || {
            let file =
                opened.get_or_insert_with(|| OpenedFile::open(kind, Arc::clone(&bytes), settings.clone()));
            let answer = match file {
                Ok(file) => file.answer(&task),
                Err(why) => Err(why.clone()),
            };
            write_frame(output, &answer.unwrap_or_else(ReaderAnswer::Unread).to_bytes()?)
        })?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "file_reader_tests.rs"]
mod tests;
