//! Finds capabilities and permissions below src-tauri/, and says what to do where the pages were not built yet.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=src-tauri/capabilities");
    println!("cargo:rerun-if-changed=src-tauri/permissions");
    println!("cargo:rerun-if-changed=ui/dist");
    if !Path::new("ui/dist/approval.html").is_file() {
        println!(
            "cargo::error=the pages are not built yet: run `npm ci && npm run build` in ui/ (scripts/run and scripts/test do)"
        );
        return;
    }
    let attributes =
        tauri_build::Attributes::new().capabilities_path_pattern("src-tauri/capabilities/**/*").app_manifest(
            tauri_build::AppManifest::new().permissions_path_pattern("src-tauri/permissions/**/*.toml"),
        );
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo::error={error:#}");
    }
}
