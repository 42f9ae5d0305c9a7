/** What `--json` prints, by command. `Task`, `Attempt` and the like are schemas of docs/openapi.json. */
export const JSON_SHAPES: Readonly<Record<string, { readonly text: string; readonly example?: string }>> = {
  up: {
    text: '`--json` prints one line when the stack is ready. It is the same as `connection.json` in the data folder (mode 0600), which goes away when the stack stops.',
    example:
      '{"url": "http://127.0.0.1:43210", "token": "assay_op_…", "control_url": "http://127.0.0.1:43211", "records_dir": "/path", "data_dir": "/path", "pid": 4711}',
  },
  submit: {
    text: '`--json` prints the tasks as they were answered, or with `--wait` as they ended: `{"tasks": [Task]}`, also for one task.',
  },
  tasks: { text: '`--json` prints `{"tasks": [TaskSummary], "next_cursor": string | null}`.' },
  task: {
    text: '`--json` prints `{"task": Task, "attempts": [Attempt], "total_cost_usd": number | null, "judging_cost_usd": number | null, "saved_vs_direct_opus_usd": number | null, "break_even_pass_rate": number | null}`. Null is unknown, never 0.',
  },
  watch: { text: '`--json` prints a line for each change, each line a `Task`.' },
  status: { text: '`--json` prints a `Status`; `verification_nudge` is always there.' },
  'verification show': {
    text: '`--json` prints a `VerificationWindow`: the nudge, and the completions that it is made of.',
  },
  'verification reset': { text: '`--json` prints a `WindowReset`: since when completions are looked at.' },
  cancel: { text: '`--json` prints the `Task` after it.' },
  retry: { text: '`--json` prints the `Task` after it.' },
  review: { text: '`--json` prints the `Task` after it.' },
  rejudge: { text: '`--json` prints the `Task` after it.' },
  reviews: { text: '`--json` prints `{"reviews": [ReviewItem], "next_cursor": string | null}`.' },
  approvals: { text: '`--json` prints `{"approvals": [ApprovalItem], "next_cursor": string | null}`.' },
  approve: { text: '`--json` prints the `Approval` after it.' },
  deny: { text: '`--json` prints the `Approval` after it.' },
  'request create': { text: '`--json` prints the `Request`.' },
  'request list': { text: '`--json` prints `{"requests": [Request], "next_cursor": string | null}`.' },
  'request show': { text: '`--json` prints the `Request`.' },
  'request approve': { text: '`--json` prints the `Request` as it was answered; its task is made later.' },
  'request reject': { text: '`--json` prints the `Request` after it.' },
  'request clarify': { text: '`--json` prints the `Request` after it.' },
  'dlq list': {
    text: '`--json` prints `{"dead_letters": [DeadLetter], "next_cursor": string | null}`.',
  },
  'dlq show': { text: '`--json` prints the `DeadLetter`.' },
  'dlq retry': { text: '`--json` prints the `DeadLetter` after it.' },
  'dlq resolve': { text: '`--json` prints the `DeadLetter` after it.' },
  'dlq abandon': { text: '`--json` prints the `DeadLetter` after it.' },
  plan: { text: '`--json` prints `{"plan": Plan}`.' },
  'plans show': { text: '`--json` prints `{"plan": Plan}`.' },
  'plans approve': { text: '`--json` prints `{"plan": Plan}` as it was answered.' },
  'plans reject': { text: '`--json` prints `{"plan": Plan}` as it was answered.' },
  'cascade show': {
    text: '`--json` prints a `Cascade`: the policy, what is believed, and the trail of what people said.',
  },
  'cascade pin': { text: '`--json` prints the `Cascade` of the role after it.' },
  'cascade generate': {
    text: 'Prints JSON Lines with and without `--json`: first `{"synthetic": true, …}`, then an outcome in each line.',
  },
  'cascade simulate': {
    text: '`--json` prints `{"synthetic": boolean, "tasks": number, "unknown": number, "comparisons": [{"policy", "tasks", "cost_usd", "pass_rate", "seconds", "attempts", "regret_usd", "regret_so_far"}]}`; each estimate is `{"mean", "low", "high"}`, `null` where nothing is known.',
  },
  'cascade reset': { text: '`--json` prints the `Cascade` of the role after it.' },
  'tune list': {
    text: '`--json` prints an `Evolution`: the level, what is in force, the proposals, and the trail.',
  },
  'tune show': { text: '`--json` prints the `Proposal`.' },
  'tune propose': { text: '`--json` prints the `Evolution` after it.' },
  'tune apply': { text: '`--json` prints the `Evolution` after it.' },
  'tune revert': { text: '`--json` prints the `Evolution` after it.' },
  'agents list': {
    text: '`--json` prints every role that a task may name; a role of the repository or of the catalog stands for a built-in one of its name.',
    example:
      '{"agents": [{"name": "qa", "source": "built_in", "model": "sonnet", "effort": "high", "max_tasks_per_session": 3, "description": "Writes tests, …"}]}',
  },
  'agents validate': {
    text: '`--json` prints `{"valid": [string]}`: the names, when all is good; else the error, with a detail for each place.',
  },
  'agents sync': {
    text: '`--json` prints `{"source": string, "commit": string | null, "roles": [{"name": string, "change": "added" | "changed" | "removed" | "unchanged"}]}`.',
  },
  worker: {
    text: '`--json` prints a line for each task: `{"task_id": string, "attempt": number, "outcome": "reported" | "handed_back", "status": string, "reason": string | null}`.',
  },
  'workflow list': {
    text: '`--json` prints `{"workflows": [{"name", "description"}], "rubrics": [{"name", "criteria": [string]}]}`.',
  },
  'workflow validate': {
    text: '`--json` prints `{"valid": true, "name": string, "nodes": number, "edges": number}`; else the error, with a detail for each fault.',
  },
  'workflow show': { text: '`--json` prints `{"workflow": …}`, with what the file leaves out filled in.' },
  'judge calibrate': {
    text: '`--json` prints the measurement. Null is unknown: `kappa` where all answers are the same, `cost_usd` where a price is not known.',
    example:
      '{"id": "cal-0123456789ab", "provider": "anthropic", "model": "claude-sonnet-5-5", "rubric": "second_look", "prompt_sha256": "…", "golden_sha256": "…", "repeats": 3, "cases": 110, "answers": 330, "unanswered": 0, "agreement": 0.9, "kappa": {"value": 0.8, "low": 0.69, "high": 0.91}, "caught": 0.85, "held_wrongly": 0.05, "variance": {"split": 0.1, "word": 0.02, "confidence": 0.003}, "reliability": [{"from": 0.9, "to": 1, "answers": 200, "confidence": 0.93, "right": 0.95}], "calibration_error": 0.04, "tokens": {"input": 400000, "output": 30000}, "cost_usd": 1.65, "cost_per_answer_usd": 0.005, "wrong": [{"id": "…", "truth": "bad", "said": ["good", "bad", "bad"]}]}',
  },
  'token create': {
    text: '`--json` prints `{"name": string, "role": string, "table": string, "id": string, "token": string}`.',
  },
  'token list': {
    text: '`--json` prints `{"tokens": [{"id", "name", "role", "repositories", "created_at", "expires_at"}]}`; `repositories` is empty for all, `expires_at` is `null` for never.',
  },
  'token revoke': { text: '`--json` prints `{"revoked": […]}`, each as in `token list`.' },
  'quality show': { text: '`--json` prints a `Quality`. A rate of nothing is null.' },
  'quality gates': {
    text: '`--json` prints `{"gates": {name: {…}}, "window_days": number}`, as `gate_stats` of `Quality`.',
  },
  'quality files': {
    text: '`--json` prints a `FileHealthList`; with `--flagged` a `FlaggedFiles`, with a path a `FileHistory`. Null is not measured, or not known yet.',
  },
  'quality cost': {
    text: '`--json` prints a `QualityCost`. A cost that is not known is counted, not summed.',
  },
  'quality forecast': { text: '`--json` prints a `BudgetForecast`. What is not known is null.' },
  'quality models': { text: '`--json` prints a `QualityModels`.' },
  'quality trend': { text: '`--json` prints a `QualityTrend`.' },
  completion: { text: '`--json` prints `{"shell": string, "script": string}`.' },
  init: {
    text: '`--json` prints `{"file": string | null, "text": string, "settings": [{"setting", "why", "missing"}]}`; `missing` is null where nothing is.',
  },
  query: {
    text: '`--json` prints `{"columns": [string], "rows": [{column: value}]}`, without a query `{"queries": [{"name", "about"}]}`. Null is unknown.',
  },
  export: { text: '`--json` prints `{"since": string, "files": [{"table", "file", "rows"}]}`.' },
  top: {
    text: 'It is for people and has no `--json`: `status`, `tasks` and `quality trend` have what it shows.',
  },
  mcp: { text: 'Standard output belongs to the protocol; `--json` changes nothing.' },
  doctor: {
    text: '`--json` prints `{"stack": string, "checks": [{"check": string, "outcome": "ok" | "attention" | "missing" | "could_not_look", "detail": string, "advice": string | null}]}`. The exit code is 0 when every check is `ok`, else 1.',
  },
  smoke: {
    text: '`--json` prints what is below. Times are milliseconds; null: the task has not come so far. The exit code is 0 when the task is verified and delivered, 3 when the task needs review, 1 when it failed, 124 when the time was over; where it stands is in `detail`.',
    example:
      '{"url": "https://…", "task_id": "smoke-1a2b3c4d", "ok": true, "status": "done", "detail": "done", "branch": "assay/smoke-1a2b3c4d", "steps": [{"step": "reach", "ms": 12}, {"step": "agent", "ms": 45210}], "total_ms": 112000}',
  },
  demo: {
    text: '`--json` prints one document at the end; progress is on standard error. `unexpected` names what differs from how the demo must end, and then the exit code is 1. `agent` is null where scripts stand in for agents, else `{"kind": "claude", "models": "real"}` or `"scripted"`; what real models do is not compared with anything.',
    example: `{
  "agent": null,
  "tasks": [
    {
      "id": "b-discount",
      "title": "Give regular customers a discount",
      "status": "done",
      "attempts": [
        {"model": "claude-haiku-4-5", "tier": "haiku", "outcome": "failed", "cost_usd": 0.06342, "judging_cost_usd": 0},
        {"model": "claude-sonnet-5-5", "tier": "sonnet", "outcome": "passed", "cost_usd": 0.16494, "judging_cost_usd": 0}
      ],
      "verdict": "pass",
      "verified": true,
      "branch": "assay/b-discount",
      "cost_usd": 0.22836,
      "judging_cost_usd": 0,
      "saved_vs_direct_opus_usd": 0.10152
    }
  ],
  "verification_nudge": {"total_completions": 5, "verified_count": 4, "unverified_count": 1, "unverified_ratio": 0.2, "threshold_exceeded": false, "nudge_threshold": 0.3, "min_completions": 3, "recent_unverified": ["d-notes"]},
  "records_dir": "/path",
  "elapsed_ms": 12345,
  "repository": "/path",
  "folder": "/path",
  "as_expected": true,
  "unexpected": []
}`,
  },
  'adapters list': {
    text: '`--json` prints every agent CLI. `version` is the one that everything is tested with, `here` what the program on the PATH says: null when there is none. `tiers` is null for a CLI that takes the models of any deployment.',
    example:
      '{"adapters": [{"kind": "gemini", "package": "@google/gemini-cli", "version": "0.61.0", "here": null, "vendor": "gemini", "supports": {"effort": false, "turns": true, "budget": false, "structured": false, "resume": false, "hooks": false}, "tiers": {"since": "2026-05-01", "models": {"haiku": "gemini-2.5-flash", "sonnet": "gemini-3.5-flash", "opus": "gemini-3.1-pro-preview"}}}]}',
  },
  'rules list': {
    text: '`--json` prints every rule whose level can be set; `default` is the most that it does where nothing is set, `caught` and `honest` name examples of what it finds and leaves.',
    example: `{
  "rules": [
    {
      "id": "addresses_reviewer",
      "default": "hold",
      "says": "a comment tells whoever reviews the patch what to say",
      "why": "Text for a model or a person that judges the patch has no other use.",
      "languages": "all",
      "caught": ["earlier instructions are to be ignored"],
      "honest": ["a comment for the next reader"]
    }
  ]
}`,
  },
  'rules explain': {
    text: '`--json` prints one rule, as in the list. An unknown name is exit code 5.',
    example: `{
  "id": "link_leads_out",
  "default": "block",
  "says": "a link leads out of the tree",
  "why": "What it shows is not what was checked, and what is delivered is another thing on each machine.",
  "languages": "all",
  "caught": ["a link to a file of the machine", "a link above the tree"],
  "honest": ["a link within the tree"]
}`,
  },
  'gates list': {
    text: '`--json` prints every gate, those that run first and in their order. `source` is `built_in` or `custom`, and a custom gate has no `flag`. `required` and `condition` are null where a module says so when it runs: listing runs none. `tools` has one for each language and project that the gate would look at, none when nothing is configured: `tool` is `assay` for code of ours, `folder` is empty at the top, `found` is null when there is nothing to look for, and `get` says how to get what is not here.',
    example: `{
  "gates": [
    {
      "name": "lint",
      "flag": "lint",
      "source": "built_in",
      "on_by_default": true,
      "enabled": true,
      "required": true,
      "condition": "always",
      "tools": [
        {"tool": "ruff", "found": false, "get": "pip install ruff", "command": "ruff check .", "folder": "api"}
      ]
    }
  ]
}`,
  },
  check: {
    text: '`--json` prints evidence and verdict of one tree. `verdict` is `pass`, `fail` or `refer`, an `outcome` one of `passed failed inert timed_out infra_failed skipped bypassed`, `kind` how it is known.',
    example: `{
  "verdict": "fail",
  "verified": true,
  "reasons": ["gate tests: exit 1"],
  "reason_codes": [{"code": "gate_failed", "subject": "tests"}],
  "base": "commit id",
  "tree": "tree hash",
  "empty_patch": false,
  "changed_files": ["src/a.ts"],
  "expects": ["ci"],
  "protected_files": [{"path": ".github/ci.yml", "change": "modified", "class": "ci", "reason": "text", "used": "base|part|patch", "allowed_by": null}],
  "signals": [
    {"type": "path_exists", "subject": "path_exists: src/a.ts", "outcome": "passed", "kind": "checked_by_us", "detail": "", "duration_ms": 1}
  ],
  "gates": [
    {
      "name": "tests",
      "outcome": "failed",
      "kind": "executed_by_us",
      "required": true,
      "blocked": true,
      "findings": [{"file": "src/a.ts", "line": 3, "rule": "rule", "message": "text"}],
      "detail": "exit 1",
      "duration_ms": 812,
      "cached": false,
      "metadata": {"exit_code": 1}
    }
  ],
  "tests_run": true,
  "quality_gates_run": true,
  "completion_signals_checked": true,
  "duration_ms": 900
}`,
  },
};
