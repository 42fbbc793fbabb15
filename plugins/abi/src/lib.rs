//! plugin-abi
