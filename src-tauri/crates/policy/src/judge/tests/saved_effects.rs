//! Commands of one program that differ in what they do: a rule saved for one covers none of the others.

use super::limits::check;

#[test]
fn a_saved_rule_for_sed_writes_no_file_that_a_script_behind_a_suffix_names() {
    check(
        "sed -i '' s/x/y/ src/f",
        &["sed -i '' s/a/b/ src/g"],
        &[
            "sed -i '' 'w .envrc' src/f", "sed -i '' '1r .env' src/f", "sed -i '' s/a/b/wz src/f",
            "sed -i '' \"$X\" src/f", "sed -i p wz src/f", "sed -ni p -I p wz src/f",
        ],
    );
}

#[test]
fn a_saved_rule_for_migrations_changes_no_other_database_and_loads_no_code() {
    check(
        "liquibase update",
        &["liquibase update"],
        &[
            "liquibase dropAll", "liquibase rollback-count 1", "liquibase execute-sql --sql x",
            "liquibase --classpath=x.jar update", "liquibase --url=jdbc:x update",
        ],
    );
    check(
        "flyway migrate",
        &["flyway migrate"],
        &["flyway -jarDirs=. migrate", "flyway -url=jdbc:x migrate", "flyway repair", "flyway clean"],
    );
}

#[test]
fn a_saved_rule_deletes_no_comment_and_sends_no_file_and_no_other_branches() {
    check(
        "gh pr comment 1 -b hi",
        &["gh pr comment 2 -b there"],
        &["gh pr comment 1 --delete-last", "gh pr comment 1 -F notes", "gh pr comment 1 --body-file notes"],
    );
    check("git push --tags origin", &["git push --tags origin"], &["git push --all origin"]);
    check(
        "git push origin main",
        &["git push origin dev"],
        &[
            "git push -o merge_request.merge_when_pipeline_succeeds origin main",
            "git push origin 'refs/heads/*'",
        ],
    );
    check("docker network create x", &["docker network create y"], &["docker network rm x"]);
    check("docker compose up -d", &["docker compose up"], &["docker compose up -V"]);
    check("go list -m all", &["go list -deps ./..."], &["go list -m -versions x.evil.example"]);
    check("python3 -m pip install x", &["python3 -m pip install x"], &["python3 -m pip install -e x"]);
}

#[test]
fn a_saved_rule_for_a_build_sends_it_nowhere_serves_nobody_else_and_runs_no_other_task() {
    check("vite", &["vite --port 3000"], &["vite --host", "vite --host 0.0.0.0"]);
    check("next build", &["next build"], &["next dev -H 0.0.0.0", "next dev"]);
    check(
        "turbo run build",
        &["turbo run build --force"],
        &["turbo run deploy", "turbo run build --api=http://e.vil"],
    );
    check("bazel build //x", &["bazel build //x"], &["bazel build --bes_backend=grpc://e.vil //x"]);
    check("go build ./...", &["go build -v ./..."], &["go build -mod=mod e.vil/x"]);
}

#[test]
fn a_saved_rule_asks_no_other_port_and_no_path_that_leads_out_of_the_repository() {
    check(
        "curl -s localhost:3000/x",
        &["curl -s localhost:3000/y", "curl -s http://localhost:3000/z"],
        &["curl -s localhost:2375/containers/json", "curl -s localhost/x"],
    );
    check(
        "gh api repos/o/r/pulls/1/comments",
        &["gh api repos/o/r/pulls/2/comments", "gh api repos/o/r/compare/main...dev"],
        &["gh api repos/o/r/../../user", "gh api repos/o/r/../x/pulls", "gh api repos/o/r/%2E%2e/x/pulls"],
    );
}

#[test]
fn a_saved_rule_for_a_fetched_tool_takes_no_other_command_address_and_package() {
    check(
        "npx wrangler d1 list",
        &["npx wrangler d1 list --json"],
        &["npx wrangler d1 migrations apply x --remote", "npx wrangler d1 time-travel restore x"],
    );
    check(
        "npx prisma migrate status",
        &["npx prisma migrate status"],
        &["npx prisma migrate deploy", "npx prisma migrate reset", "npx prisma migrate dev"],
    );
    check("npx expo install x", &[], &["npx expo install y"]);
    check("npx nuxi module add x", &[], &["npx nuxi module add y"]);
    check(
        "npx turbo build",
        &["npx turbo build --force"],
        &["npx turbo build --api https://e.vil/x", "npx turbo build https://e.vil/x"],
    );
    check("npx vitest run", &["npx vitest run src/a.test.ts"], &["npx vitest run --api.host 0.0.0.0"]);
    check("npx @google/gemini-cli -p x", &[], &["npx @google/gemini-cli --yolo -p x"]);
    check("npx semantic-release --dry-run", &[], &["npx semantic-release --dry-run false"]);
    check("npx cdk synth", &["npx cdk synth -q"], &["npx cdk synth --app ./e"]);
}

#[test]
fn a_saved_rule_for_a_workspace_publishes_adds_and_runs_nothing_else_in_it() {
    check(
        "yarn workspace a build",
        &["yarn workspace a build --watch"],
        &[
            "yarn workspace a publish", "yarn workspace a npm publish", "yarn workspace a add x",
            "yarn workspace a deploy", "yarn workspace b build",
        ],
    );
    check("mise run build", &["mise run build -v"], &["mise run build ::: deploy"]);
    check("dotnet add package x", &[], &["dotnet add package y"]);
}

#[test]
fn a_saved_rule_for_tests_and_migrations_takes_no_other_machine_and_no_other_database() {
    check("pytest", &["pytest -q tests"], &["pytest --tx popen//python=./e", "pytest --rsyncdir src"]);
    check(
        "alembic upgrade head",
        &["alembic upgrade head"],
        &["alembic -x url=postgres://h/x upgrade head", "alembic upgrade head -n prod", "alembic stamp head"],
    );
    check("sentry-cli releases list", &["sentry-cli releases list"], &["sentry-cli releases finalize x"]);
    check(
        "docker compose down",
        &["docker compose down --remove-orphans"],
        &["docker compose down --rmi local"],
    );
    check(
        "git push origin main",
        &["git push origin dev"],
        &["git push origin tag v1", "git push origin refs/tags/v1", "git push --follow-tags origin main"],
    );
    check(
        "tool user list",
        &["tool user list -v"],
        &["tool user revoke x", "tool user terminate x", "tool user --create x", "tool user -q x set"],
    );
}

#[test]
fn a_saved_rule_for_a_web_server_or_its_build_serves_no_other_machine_and_sends_nothing() {
    check(
        "npm run dev",
        &["npm run dev -- --port 3000", "npm run dev -- --host localhost"],
        &["npm run dev -- --host 0.0.0.0", "npm run dev -- --host"],
    );
    check("astro build", &["astro build --verbose"], &["astro dev --host", "astro add x"]);
    check("chromatic --dry-run", &["chromatic --dry-run"], &["chromatic"]);
    check("stripe listen", &["stripe listen"], &["stripe listen --live", "stripe post /v1/x"]);
}
