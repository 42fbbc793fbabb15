//! A bound on each piece of memory: without a sanitizer, libFuzzer sees only the whole.

use std::alloc::{GlobalAlloc, Layout, System};

/// The largest piece, in bytes.
const MOST: usize = 512 << 20;

struct BoundedMemory;

#[global_allocator]
static MEMORY: BoundedMemory = BoundedMemory;

fn check(size: usize) {
    if size > MOST {
        eprintln!("{size} bytes of memory at once");
        std::process::abort();
    }
}

// SAFETY: all is the system's.
unsafe impl GlobalAlloc for BoundedMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        check(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        check(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        check(size);
        // SAFETY: the caller's.
        unsafe { System.realloc(memory, layout, size) }
    }
}
