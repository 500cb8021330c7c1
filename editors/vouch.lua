-- Experts, and what is in play, from the language server `vouch-sidecar lsp`. Neovim 0.7 and up.
--
-- Copy this file to ~/.config/nvim/lua/vouch.lua, and add to init.lua:  require("vouch").setup()
-- `vouch-sidecar install neovim` prints how to start the server.
--
--   :VouchExperts TOPIC   who carries the evidence; without a topic, on the word at the cursor
--   :VouchInPlay          what is in play, in a window that follows what you type

local M = {}
local TITLE = "[Vouch] in play"
local in_play = {} -- by session: the rows, strongest first
local latest -- the session that changed last

local function client()
  local all = vim.lsp.get_clients or vim.lsp.get_active_clients
  for _, one in pairs(all()) do
    if one.config.cmd and vim.inspect(one.config.cmd):find("vouch-sidecar", 1, true) then
      return one
    end
  end
  vim.notify("vouch-sidecar is not running for this file", vim.log.levels.WARN)
end

local function ask(method, params, done)
  local server = client()
  if not server then
    return
  end
  local function answered(err, result)
    if err then
      vim.notify(err.message, vim.log.levels.WARN)
    else
      done(result)
    end
  end
  -- From Neovim 0.11 on, request is a method of the client.
  if vim.fn.has("nvim-0.11") == 1 then
    server:request(method, params, answered)
  else
    server.request(method, params, answered)
  end
end

-- Show lines in the scratch buffer of a name, in its window or a new one below.
local function show(name, lines, open)
  local buffer = vim.fn.bufnr(vim.fn.escape(name, "[]"))
  if buffer < 0 then
    buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buffer, name)
  end
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  if open and vim.fn.bufwinid(buffer) < 0 then
    local before = vim.api.nvim_get_current_win()
    vim.cmd("botright 8split")
    vim.api.nvim_win_set_buf(0, buffer)
    vim.wo.wrap = false
    vim.api.nvim_set_current_win(before)
  end
end

local function line(row, facts)
  local claims = row.claim_count == 1 and "1 claim" or row.claim_count .. " claims"
  return (("%s  (%s)  %s, %s"):format(row.name, row.type, claims, facts):gsub("[\r\n]", " "))
end

function M.experts(topic)
  topic = topic ~= "" and topic or vim.fn.expand("<cword>")
  ask("vouch/experts", { topic = topic, weight = "evidence" }, function(result)
    local lines = {}
    for _, row in ipairs(result.experts) do
      local claims = table.concat(row.top_claim_ids, ", ")
      lines[#lines + 1] = line(row, "first " .. claims)
    end
    if #lines == 0 then
      lines = { "No entity carries evidence on this topic." }
    end
    show("[Vouch] experts", lines, true)
  end)
end

local function update(open)
  local lines = {}
  for _, row in ipairs(in_play[latest] or {}) do
    local named = table.concat(row.matched, ", ")
    lines[#lines + 1] = line(row, "named by " .. named)
  end
  show(TITLE, #lines > 0 and lines or { "Nothing known is in play." }, open)
end

function M.in_play()
  ask("vouch/salience", vim.empty_dict(), function(result)
    latest = result.session_id
    in_play[latest] = result.salience
    update(true)
  end)
end

function M.setup()
  vim.lsp.handlers["vouch/didChangeSalience"] = function(_, push)
    in_play[push.session_id] = #push.salience > 0 and push.salience or nil
    latest = push.session_id
    if vim.fn.bufnr(vim.fn.escape(TITLE, "[]")) >= 0 then
      update(false)
    end
  end
  vim.lsp.handlers["vouch/didChangeStatus"] = function() end
  local create = vim.api.nvim_create_user_command
  create("VouchExperts", function(given)
    M.experts(given.args)
  end, { nargs = "*" })
  create("VouchInPlay", M.in_play, {})
end

return M
