-- Draws a site and a file of it by Zipf's law with exponent 1: file number r of all is asked for 1/r times as often as
-- the first. Requests are made beforehand, so that drawing costs the load generator nothing.
local PREPARED = 200000
local requests, at = {}, 0

function init(args)
  local sites, files, port = tonumber(args[1]), tonumber(args[2]), args[3]
  local total = sites * files
  math.randomseed(42)
  -- A permutation that spreads the ranks over the sites: popular files are not all on one of them.
  local step = 7919
  for i = 1, PREPARED do
    local rank = math.floor(math.exp(math.random() * math.log(total + 1)))
    local file = (rank * step) % total
    local site = file % sites
    local name = math.floor(file / sites)
    requests[i] = "GET /" .. name .. ".html HTTP/1.1\r\nHost: site-" .. site .. ".localhost:" .. port .. "\r\n\r\n"
  end
end

function request()
  at = at % PREPARED + 1
  return requests[at]
end
